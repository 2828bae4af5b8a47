#!/usr/bin/env python3
"""A small English-German corpus whose translations can be checked exactly.

    generate.py                                     write the corpus files
    generate.py --verify                            check the stored files
    generate.py --check HYPOTHESIS --source test.en  grade translations

Every sentence is a structure (a number, a date, a time of day, a clause, ...)
that this file can express in English and in German.  The corpus is made by
drawing structures at random and writing down both sides.  Checking goes the
other way: the English text is parsed back into its structure, and the German
of that structure is the one right translation.

The sections below are, in order: the lexicon, the structures, their English,
their German, the English parser, the random choice of sentences, the files.
"""

import argparse
import collections
import datetime
import gzip
import random
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional, Tuple, Union

SEED = 20170612
SPLIT_SIZES = {"train": 20000, "dev": 500, "test": 500}
RAREST_WORD = 50  # every English word occurs at least this often in train


# ------------------------------------------------------------------ lexicon

@dataclass(frozen=True)
class Noun:
    english: str
    english_plural: str
    german: str
    german_plural: str
    gender: str  # "m", "f" or "n"
    kind: str  # what sort of thing it names; see ADJECTIVES_OF and VERBS
    pronoun: str = ""  # the English pronoun for a person
    oblique: str = ""  # German accusative and dative singular if special


@dataclass(frozen=True)
class Adjective:
    english: str
    german: str
    stem: str  # the German form that takes the endings


@dataclass(frozen=True)
class Verb:
    """Forms given as pairs are (singular, plural) of the third person."""

    english: str
    english_present: Tuple[str, str]
    english_past: Tuple[str, str]
    english_participle: str
    german: str
    german_present: Tuple[str, str]
    german_past: Tuple[str, str]
    german_participle: str
    particle: str = ""  # closes a German main clause: "fährt ... ab"
    objects: Tuple[str, ...] = ()  # nouns or kinds of nouns it can act upon
    largest_count: int = 0  # of objects
    takes_recipient: bool = False


NOUNS = [
    Noun("man", "men", "Mann", "Männer", "m", "person", "he"),
    Noun("teacher", "teachers", "Lehrer", "Lehrer", "m", "person", "he"),
    Noun("doctor", "doctors", "Arzt", "Ärzte", "m", "person", "he"),
    Noun("farmer", "farmers", "Bauer", "Bauern", "m", "person", "he", "Bauern"),
    Noun("boy", "boys", "Junge", "Jungen", "m", "person", "he", "Jungen"),
    Noun("uncle", "uncles", "Onkel", "Onkel", "m", "person", "he"),
    Noun("woman", "women", "Frau", "Frauen", "f", "person", "she"),
    Noun("aunt", "aunts", "Tante", "Tanten", "f", "person", "she"),
    Noun("grandmother", "grandmothers", "Großmutter", "Großmütter", "f",
         "person", "she"),
    Noun("girl", "girls", "Mädchen", "Mädchen", "n", "person", "she"),

    Noun("apple", "apples", "Apfel", "Äpfel", "m", "food"),
    Noun("cake", "cakes", "Kuchen", "Kuchen", "m", "food"),
    Noun("pear", "pears", "Birne", "Birnen", "f", "food"),
    Noun("egg", "eggs", "Ei", "Eier", "n", "food"),

    Noun("letter", "letters", "Brief", "Briefe", "m", "text"),
    Noun("newspaper", "newspapers", "Zeitung", "Zeitungen", "f", "text"),
    Noun("book", "books", "Buch", "Bücher", "n", "text"),

    Noun("chair", "chairs", "Stuhl", "Stühle", "m", "thing"),
    Noun("table", "tables", "Tisch", "Tische", "m", "thing"),
    Noun("hat", "hats", "Hut", "Hüte", "m", "thing"),
    Noun("lamp", "lamps", "Lampe", "Lampen", "f", "thing"),
    Noun("bicycle", "bicycles", "Fahrrad", "Fahrräder", "n", "thing"),
    Noun("picture", "pictures", "Bild", "Bilder", "n", "thing"),
    Noun("car", "cars", "Auto", "Autos", "n", "thing"),

    Noun("dog", "dogs", "Hund", "Hunde", "m", "animal"),
    Noun("cat", "cats", "Katze", "Katzen", "f", "animal"),
    Noun("horse", "horses", "Pferd", "Pferde", "n", "animal"),

    Noun("garden", "gardens", "Garten", "Gärten", "m", "place"),
    Noun("kitchen", "kitchens", "Küche", "Küchen", "f", "place"),
    Noun("school", "schools", "Schule", "Schulen", "f", "place"),
    Noun("city", "cities", "Stadt", "Städte", "f", "place"),
    Noun("village", "villages", "Dorf", "Dörfer", "n", "place"),
    Noun("house", "houses", "Haus", "Häuser", "n", "place"),

    Noun("train", "trains", "Zug", "Züge", "m", "vehicle"),
    Noun("bus", "buses", "Bus", "Busse", "m", "vehicle"),

    Noun("person", "people", "Mensch", "Menschen", "m", "inhabitant"),
]

ADJECTIVES = [
    Adjective("old", "alt", "alt"),
    Adjective("young", "jung", "jung"),
    Adjective("rich", "reich", "reich"),
    Adjective("poor", "arm", "arm"),
    Adjective("friendly", "freundlich", "freundlich"),
    Adjective("famous", "berühmt", "berühmt"),
    Adjective("new", "neu", "neu"),
    Adjective("small", "klein", "klein"),
    Adjective("big", "groß", "groß"),
    Adjective("beautiful", "schön", "schön"),
    Adjective("long", "lang", "lang"),
    Adjective("fresh", "frisch", "frisch"),
    Adjective("heavy", "schwer", "schwer"),
    Adjective("expensive", "teuer", "teur"),
    Adjective("red", "rot", "rot"),
    Adjective("green", "grün", "grün"),
    Adjective("blue", "blau", "blau"),
    Adjective("white", "weiß", "weiß"),
    Adjective("black", "schwarz", "schwarz"),
    Adjective("tired", "müde", "müd"),
    Adjective("hungry", "hungrig", "hungrig"),
    Adjective("happy", "glücklich", "glücklich"),
    Adjective("ill", "krank", "krank"),
]

ADJECTIVES_OF = {
    "person": ["old", "young", "rich", "poor", "friendly", "famous"],
    "food": ["fresh", "small", "big", "expensive"],
    "text": ["new", "old", "long", "beautiful"],
    "thing": ["new", "old", "small", "big", "beautiful", "heavy", "expensive",
              "red", "green", "blue", "white", "black"],
    "animal": ["old", "young", "small", "big", "beautiful", "white", "black"],
    "place": ["new", "old", "small", "big", "beautiful"],
    "vehicle": ["new", "old", "red", "green", "blue"],
    "state": ["tired", "hungry", "happy", "ill"],  # of a person, for a while
}


def german_past(singular):
    """kaufte, kauften; fand, fanden"""
    return (singular, singular + ("n" if singular.endswith("e") else "en"))


def action(english, past, participle, german, past_german, participle_german,
           objects, largest_count, takes_recipient=False):
    """A verb with an object.  No sentence has it in the present tense."""
    return Verb(english, ("", ""), (past, past), participle,
                german, ("", ""), german_past(past_german), participle_german,
                "", tuple(objects.split()), largest_count, takes_recipient)


def event(english_present, english_past, german_present, german_past,
          particle=""):
    """A verb that is used in the present or the past tense only."""
    return Verb("", english_present, english_past, "",
                "", german_present, german_past, "", particle)


VERBS = [
    action("buy", "bought", "bought", "kaufen", "kaufte", "gekauft",
           "food thing animal book newspaper", 999),
    action("sell", "sold", "sold", "verkaufen", "verkaufte", "verkauft",
           "food thing animal book newspaper", 999),
    action("find", "found", "found", "finden", "fand", "gefunden",
           "food thing animal text", 99),
    action("see", "saw", "seen", "sehen", "sah", "gesehen",
           "thing animal", 99),
    action("look for", "looked for", "looked for",
           "suchen", "suchte", "gesucht", "thing animal text", 99),
    action("paint", "painted", "painted", "malen", "malte", "gemalt",
           "animal food", 99),
    action("read", "read", "read", "lesen", "las", "gelesen", "text", 99),
    action("write", "wrote", "written",
           "schreiben", "schrieb", "geschrieben", "book letter", 99),
    action("eat", "ate", "eaten", "essen", "aß", "gegessen", "food", 29),
    action("repair", "repaired", "repaired",
           "reparieren", "reparierte", "repariert",
           "chair table lamp bicycle car", 29),
    action("give", "gave", "given", "geben", "gab", "gegeben",
           "food thing animal text", 99, takes_recipient=True),
    action("show", "showed", "shown", "zeigen", "zeigte", "gezeigt",
           "thing animal text", 99, takes_recipient=True),
    action("send", "sent", "sent", "schicken", "schickte", "geschickt",
           "text hat lamp picture", 99, takes_recipient=True),
]

BE = event(("is", "are"), ("was", "were"), ("ist", "sind"), ("war", "waren"))
COST = event(("costs", "cost"), ("", ""), ("kostet", "kosten"), ("", ""))
LEAVE = event(("leaves", "leave"), ("", ""),
              ("fährt", "fahren"), ("", ""), particle="ab")
ARRIVE = event(("arrives", "arrive"), ("", ""),
               ("kommt", "kommen"), ("", ""), particle="an")
LIVE = event(("", ""), ("lived", "lived"), ("", ""), ("lebte", "lebten"))
BE_BORN = event(("", ""), ("was born", "were born"),
                ("", ""), ("wurde", "wurden"), particle="geboren")
EVENTS = [BE_BORN, BE, COST, LEAVE, ARRIVE, LIVE]

MODALS = {  # tense: English and German, each (singular, plural)
    "can": (("can", "can"), ("kann", "können")),
    "must": (("must", "must"), ("muss", "müssen")),
    "want": (("wants to", "want to"), ("will", "wollen")),
}

PRONOUNS = {"he": "er", "she": "sie", "they": "sie"}
CONJUNCTIONS = {"because": "weil", "although": "obwohl"}
DIRECTIONS = {"to": "nach", "from": "aus"}
TOWNS = {"Berlin": "Berlin", "Hamburg": "Hamburg", "Munich": "München",
         "Cologne": "Köln", "Vienna": "Wien"}

WEEKDAYS = {"Monday": "Montag", "Tuesday": "Dienstag", "Wednesday": "Mittwoch",
            "Thursday": "Donnerstag", "Friday": "Freitag",
            "Saturday": "Samstag", "Sunday": "Sonntag"}
MONTHS = {"January": "Januar", "February": "Februar", "March": "März",
          "April": "April", "May": "Mai", "June": "Juni", "July": "Juli",
          "August": "August", "September": "September", "October": "Oktober",
          "November": "November", "December": "Dezember"}
PARTS_OF_DAY = {"in the morning": "morgens", "in the afternoon": "nachmittags",
                "in the evening": "abends", "at night": "nachts"}

DAY_WORDS = {"yesterday": "gestern", "today": "heute", "tomorrow": "morgen"}
ADVERBS = {
    **DAY_WORDS,
    "last week": "letzte Woche", "this week": "diese Woche",
    "last year": "letztes Jahr", "this year": "dieses Jahr",
    **{"on " + english: "am " + german for english, german in WEEKDAYS.items()},
    **{"in " + english: "im " + german for english, german in MONTHS.items()},
}

ENGLISH_UNITS = ("zero one two three four five six seven eight nine ten eleven"
                 " twelve thirteen fourteen fifteen sixteen seventeen eighteen"
                 " nineteen").split()
ENGLISH_TENS = ("zero ten twenty thirty forty fifty sixty seventy eighty"
                " ninety").split()
ENGLISH_ORDINALS = {"one": "first", "two": "second", "three": "third",
                    "five": "fifth", "eight": "eighth", "nine": "ninth",
                    "twelve": "twelfth", "twenty": "twentieth",
                    "thirty": "thirtieth"}
GERMAN_UNITS = ("null ein zwei drei vier fünf sechs sieben acht neun zehn elf"
                " zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn"
                " neunzehn").split()
GERMAN_TENS = ("null zehn zwanzig dreißig vierzig fünfzig sechzig siebzig"
               " achtzig neunzig").split()
GERMAN_ORDINALS = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}

YEARS = range(1800, 2026)

NOUN = {noun.english: noun for noun in NOUNS}
ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}


# --------------------------------------------------------------- structures

@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Year:
    value: int


@dataclass(frozen=True)
class Date:
    day: int
    month: str
    year: Optional[int] = None
    weekday: str = ""


@dataclass(frozen=True)
class Clock:
    hour: int  # 1 to 12
    minute: int  # a multiple of five
    part_of_day: str = ""


@dataclass(frozen=True)
class Adverb:
    english: str


Time = Union[Year, Date, Clock, Adverb]


@dataclass(frozen=True)
class Town:
    english: str


@dataclass(frozen=True)
class Price:
    euros: int
    cents: int = 0


@dataclass(frozen=True)
class Pronoun:
    english: str

    @property
    def plural(self):
        return self.english == "they"


@dataclass(frozen=True)
class Gap:
    """The place in a relative clause that its head noun fills."""

    plural: bool


@dataclass(frozen=True)
class NounPhrase:
    noun: Noun
    plural: bool
    article: str  # "the", "a" or none
    count: Optional[int] = None
    adjective: Optional[Adjective] = None
    direction: str = ""  # "to" or "from" a town
    town: Optional[Town] = None
    relative: Optional["Clause"] = None


@dataclass(frozen=True)
class Clause:
    subject: Union[NounPhrase, Pronoun, Gap]
    verb: Verb
    tense: str  # "present", "past", "perfect" or a key of MODALS
    recipient: Optional[NounPhrase] = None
    object: Union[NounPhrase, Price, Adjective, Gap, None] = None
    place: Union[NounPhrase, Town, None] = None
    times: Tuple[Time, ...] = ()
    fronted: str = ""  # "time" or "place" if it opens the clause


@dataclass(frozen=True)
class ComplexSentence:
    """Two clauses, one of which depends on the other."""

    first: Clause
    conjunction: str
    second: Clause
    dependent_first: bool


@dataclass(frozen=True)
class DateStatement:
    day_word: str
    date: Date


@dataclass(frozen=True)
class ClockStatement:
    clock: Clock


# ------------------------------------------------------- English and German

def join(*parts):
    """The non-empty parts, separated by spaces."""
    return " ".join(part for part in parts if part)


def as_sentence(text):
    return text[0].upper() + text[1:] + "."


def choose(forms, plural):
    singular_form, plural_form = forms
    return plural_form if plural else singular_form


# ------------------------------------------------------------------ English

def english(structure):
    """The English text of a whole line.

    Numbers, dates and times alone have no capital and no full stop.
    """
    if isinstance(structure, Number):
        return english_number(structure.value)
    if isinstance(structure, (Date, Clock)):
        return english_time(structure)
    return as_sentence(english_sentence(structure))


def english_sentence(structure):
    if isinstance(structure, ClockStatement):
        return "it is " + english_clock(structure.clock)
    if isinstance(structure, DateStatement):
        return join(structure.day_word, english_copula(structure),
                    english_date(structure.date))
    if isinstance(structure, ComplexSentence):
        first = english_clause(structure.first)
        second = english_clause(structure.second)
        if structure.dependent_first:
            return join(structure.conjunction, first + ",", second)
        return join(first, structure.conjunction, second)
    return english_clause(structure)


def english_copula(statement):
    return "was" if statement.day_word == "yesterday" else "is"


def english_below_hundred(value):
    if value < 20:
        return ENGLISH_UNITS[value]
    tens, units = divmod(value, 10)
    if units == 0:
        return ENGLISH_TENS[tens]
    return ENGLISH_TENS[tens] + "-" + ENGLISH_UNITS[units]


def english_below_thousand(value):
    hundreds, rest = divmod(value, 100)
    if hundreds == 0:
        return english_below_hundred(rest)
    text = ENGLISH_UNITS[hundreds] + " hundred"
    return text + " and " + english_below_hundred(rest) if rest else text


def english_number(value):
    thousands, rest = divmod(value, 1000)
    if thousands == 0:
        return english_below_thousand(rest)
    text = english_below_thousand(thousands) + " thousand"
    if rest == 0:
        return text
    return join(text, "and" if rest < 100 else "", english_below_thousand(rest))


def english_ordinal(value):
    """twenty-first, seventh: only the last word is changed"""
    head, hyphen, last = english_below_hundred(value).rpartition("-")
    return head + hyphen + ENGLISH_ORDINALS.get(last, last + "th")


def english_year(value):
    """eighteen hundred, nineteen oh five, two thousand and five, twenty ten"""
    century, rest = divmod(value, 100)
    if 2000 <= value < 2010:
        return english_number(value)
    if rest == 0:
        return english_below_hundred(century) + " hundred"
    return join(english_below_hundred(century), "oh" if rest < 10 else "",
                english_below_hundred(rest))


def english_date(date):
    return join(date.weekday + "," if date.weekday else "",
                "the", english_ordinal(date.day), "of", date.month,
                english_year(date.year) if date.year else "")


def english_clock(clock):
    return join(english_clock_face(clock), clock.part_of_day)


def english_clock_face(clock):
    if clock.minute == 0:
        return ENGLISH_UNITS[clock.hour] + " o'clock"
    if clock.minute <= 30:
        minutes, relation, hour = clock.minute, "past", clock.hour
    else:
        minutes, relation, hour = 60 - clock.minute, "to", next_hour(clock.hour)
    words = {15: "quarter", 30: "half"}
    return join(words.get(minutes) or english_below_hundred(minutes),
                relation, ENGLISH_UNITS[hour])


def next_hour(hour):
    return hour % 12 + 1


def english_time(time):
    if isinstance(time, Date):
        return "on " + english_date(time)
    if isinstance(time, Clock):
        return "at " + english_clock(time)
    if isinstance(time, Year):
        return "in the year " + english_year(time.value)
    return time.english


def english_place(place):
    if isinstance(place, Town):
        return "in " + place.english
    return "in " + english_noun_phrase(place)


def english_price(price):
    euros = english_number(price.euros) + " euros"
    if price.cents == 0:
        return euros
    return join(euros, "and", english_number(price.cents), "cents")


def english_noun_phrase(phrase):
    words = join(english_number(phrase.count) if phrase.count else "",
                 phrase.adjective.english if phrase.adjective else "",
                 choose((phrase.noun.english, phrase.noun.english_plural),
                        phrase.plural),
                 phrase.direction,
                 phrase.town.english if phrase.town else "",
                 english_relative(phrase))
    article = phrase.article
    if article == "a" and words[0] in "aeiou":
        article = "an"
    return join(article, words)


def english_relative(phrase):
    if phrase.relative is None:
        return ""
    relative_pronoun = "who" if phrase.noun.kind == "person" else "that"
    return join(relative_pronoun, english_clause(phrase.relative))


def english_constituent(constituent):
    """A subject, recipient or object; a gap is silent."""
    if constituent is None or isinstance(constituent, Gap):
        return ""
    if isinstance(constituent, NounPhrase):
        return english_noun_phrase(constituent)
    if isinstance(constituent, Price):
        return english_price(constituent)
    return constituent.english


def english_verb_group(verb, tense, plural):
    if tense == "present":
        return choose(verb.english_present, plural)
    if tense == "past":
        return choose(verb.english_past, plural)
    if tense == "perfect":
        return join(choose(("has", "have"), plural), verb.english_participle)
    modal, _ = MODALS[tense]
    return join(choose(modal, plural), verb.english)


def english_clause(clause):
    """[Adverbial,] subject verb [recipient] [object] [place] [times]"""
    opening, place, times = take_fronted(clause)
    front = english_place(opening) if clause.fronted == "place" else (
        english_time(opening) if clause.fronted == "time" else "")
    return join(
        front + "," if front else "",
        english_constituent(clause.subject),
        english_verb_group(clause.verb, clause.tense, clause.subject.plural),
        english_constituent(clause.recipient),
        english_constituent(clause.object),
        english_place(place) if place else "",
        *[english_time(time) for time in times])


def take_fronted(clause):
    """The adverbial that opens the clause, the other place, the other times."""
    if clause.fronted == "place":
        return clause.place, None, clause.times
    if clause.fronted == "time":
        return clause.times[0], clause.place, clause.times[1:]
    return None, clause.place, clause.times


# ------------------------------------------------------------------- German

def german(structure):
    """The German text of a whole line."""
    if isinstance(structure, Number):
        return german_number(structure.value)
    if isinstance(structure, (Date, Clock)):
        return german_time(structure)
    return as_sentence(german_sentence(structure))


def german_sentence(structure):
    if isinstance(structure, ClockStatement):
        return "es ist " + german_clock(structure.clock)
    if isinstance(structure, DateStatement):
        return join(DAY_WORDS[structure.day_word], german_copula(structure),
                    german_date(structure.date, "nominative"))
    if isinstance(structure, ComplexSentence):
        return german_complex_sentence(structure)
    return german_main_clause(structure)


def german_copula(statement):
    return "war" if statement.day_word == "yesterday" else "ist"


def german_below_hundred(value, one):
    """`one` is how a final 1 is said: "eins" or, within a number, "ein"."""
    if value == 1:
        return one
    if value < 20:
        return GERMAN_UNITS[value]
    tens, units = divmod(value, 10)
    if units == 0:
        return GERMAN_TENS[tens]
    return GERMAN_UNITS[units] + "und" + GERMAN_TENS[tens]


def german_below_thousand(value, one):
    hundreds, rest = divmod(value, 100)
    return ((GERMAN_UNITS[hundreds] + "hundert" if hundreds else "")
            + (german_below_hundred(rest, one) if rest else ""))


def german_number(value):
    thousands, rest = divmod(value, 1000)
    return ((german_below_thousand(thousands, "ein") + "tausend"
             if thousands else "")
            + german_below_thousand(rest, "eins"))


def german_ordinal_stem(value):
    """dritt-, siebzehnt-, einundzwanzigst-"""
    if value in GERMAN_ORDINALS:
        return GERMAN_ORDINALS[value]
    return german_number(value) + ("t" if value < 20 else "st")


def german_year(value):
    """Up to 1999 years are counted in hundreds, then in thousands."""
    if value >= 2000:
        return german_number(value)
    century, rest = divmod(value, 100)
    return (GERMAN_UNITS[century] + "hundert"
            + (german_below_hundred(rest, "eins") if rest else ""))


def german_date(date, case):
    """Weekday and day agree in case; every day of the month is masculine."""
    ordinal = (german_ordinal_stem(date.day)
               + ADJECTIVE_ENDINGS["the"][case]["m"])
    article = ARTICLES["the"][case]["m"]
    return join(
        WEEKDAYS[date.weekday] + ", " + article if date.weekday else "",
        ordinal, MONTHS[date.month],
        german_year(date.year) if date.year else "")


def german_clock(clock):
    return join(german_clock_face(clock),
                PARTS_OF_DAY.get(clock.part_of_day, ""))


def german_clock_face(clock):
    """Between twenty past and twenty to, German looks at the next half."""
    this_hour = german_number(clock.hour)
    following_hour = german_number(next_hour(clock.hour))
    if clock.minute == 0:
        return german_below_hundred(clock.hour, "ein") + " Uhr"
    if clock.minute == 25:
        return "fünf vor halb " + following_hour
    if clock.minute == 30:
        return "halb " + following_hour
    if clock.minute == 35:
        return "fünf nach halb " + following_hour
    if clock.minute < 30:
        return join(german_minutes(clock.minute), "nach", this_hour)
    return join(german_minutes(60 - clock.minute), "vor", following_hour)


def german_minutes(minutes):
    return "Viertel" if minutes == 15 else german_number(minutes)


def german_time(time):
    if isinstance(time, Date):
        return "am " + german_date(time, "dative")
    if isinstance(time, Clock):
        return "um " + german_clock(time)
    if isinstance(time, Year):
        return "im Jahr " + german_year(time.value)
    return ADVERBS[time.english]


def german_place(place):
    if isinstance(place, Town):
        return "in " + TOWNS[place.english]
    return contract("in " + german_noun_phrase(place, "dative"))


def contract(text):
    """in dem -> im"""
    return re.sub(r"^in dem ", "im ", text)


def german_price(price):
    euros = german_number(price.euros) + " Euro"
    if price.cents == 0:
        return euros
    return join(euros, "und", german_number(price.cents), "Cent")


ARTICLES = {
    "the": {"nominative": {"m": "der", "f": "die", "n": "das", "plural": "die"},
            "accusative": {"m": "den", "f": "die", "n": "das", "plural": "die"},
            "dative": {"m": "dem", "f": "der", "n": "dem", "plural": "den"}},
    "a": {"nominative": {"m": "ein", "f": "eine", "n": "ein"},
          "accusative": {"m": "einen", "f": "eine", "n": "ein"},
          "dative": {"m": "einem", "f": "einer", "n": "einem"}},
}
RELATIVE_PRONOUNS = ARTICLES["the"]  # alike in nominative and accusative

ADJECTIVE_ENDINGS = {  # by the article before the adjective
    "the": {"nominative": {"m": "e", "f": "e", "n": "e", "plural": "en"},
            "accusative": {"m": "en", "f": "e", "n": "e", "plural": "en"},
            "dative": {"m": "en", "f": "en", "n": "en", "plural": "en"}},
    "a": {"nominative": {"m": "er", "f": "e", "n": "es"},
          "accusative": {"m": "en", "f": "e", "n": "es"},
          "dative": {"m": "en", "f": "en", "n": "en"}},
    "": {"nominative": {"plural": "e"},
         "accusative": {"plural": "e"},
         "dative": {"plural": "en"}},
}


def agreement_class(phrase):
    """German tells the genders apart in the singular only."""
    return "plural" if phrase.plural else phrase.noun.gender


def german_noun(noun, plural, case):
    if plural:
        needs_n = case == "dative" and noun.german_plural[-1] not in "ns"
        return noun.german_plural + ("n" if needs_n else "")
    if case != "nominative" and noun.oblique:
        return noun.oblique
    return noun.german


def german_noun_phrase(phrase, case):
    agreement = agreement_class(phrase)
    article = (ARTICLES[phrase.article][case][agreement]
               if phrase.article else "")
    adjective = ""
    if phrase.adjective:
        ending = ADJECTIVE_ENDINGS[phrase.article][case][agreement]
        adjective = phrase.adjective.stem + ending
    return join(article,
                german_number(phrase.count) if phrase.count else "",
                adjective,
                german_noun(phrase.noun, phrase.plural, case),
                DIRECTIONS.get(phrase.direction, ""),
                TOWNS[phrase.town.english] if phrase.town else ""
                ) + german_relative(phrase)


def german_relative(phrase):
    """The relative clause between its commas, opened by its pronoun."""
    if phrase.relative is None:
        return ""
    is_subject = isinstance(phrase.relative.subject, Gap)
    case = "nominative" if is_subject else "accusative"
    pronoun = RELATIVE_PRONOUNS[case][agreement_class(phrase)]
    return ", " + join(pronoun, german_dependent_clause(phrase.relative)) + ","


def german_constituent(constituent, case):
    """A subject, recipient or object; a gap is silent."""
    if constituent is None or isinstance(constituent, Gap):
        return ""
    if isinstance(constituent, NounPhrase):
        return german_noun_phrase(constituent, case)
    if isinstance(constituent, Price):
        return german_price(constituent)
    if isinstance(constituent, Pronoun):
        return PRONOUNS[constituent.english]
    return constituent.german


def german_verb_group(verb, tense, plural):
    """The finite verb and the part of the verb that closes a main clause."""
    if tense == "present":
        return choose(verb.german_present, plural), verb.particle
    if tense == "past":
        return choose(verb.german_past, plural), verb.particle
    if tense == "perfect":
        return choose(("hat", "haben"), plural), verb.german_participle
    _, modal = MODALS[tense]
    return choose(modal, plural), verb.german


def german_subject(clause):
    return german_constituent(clause.subject, "nominative")


def german_finite_verb(clause):
    finite, _ = german_verb_group(clause.verb, clause.tense,
                                  clause.subject.plural)
    return finite


def german_middle_and_end(clause, place, times):
    """What stands between the finite verb of a main clause and its end."""
    _, closing = german_verb_group(clause.verb, clause.tense,
                                   clause.subject.plural)
    return join(*[german_time(time) for time in times],
                german_place(place) if place else "",
                german_constituent(clause.recipient, "dative"),
                german_constituent(clause.object, "accusative"),
                closing)


def german_main_clause(clause):
    """The finite verb comes second, after the subject or an adverbial."""
    opening, place, times = take_fronted(clause)
    subject = german_subject(clause)
    finite = german_finite_verb(clause)
    rest = german_middle_and_end(clause, place, times)
    if clause.fronted == "place":
        return join(german_place(opening), finite, subject, rest)
    if clause.fronted == "time":
        return join(german_time(opening), finite, subject, rest)
    return join(subject, finite, rest)


def german_dependent_clause(clause):
    """The finite verb comes last."""
    return join(german_subject(clause),
                german_middle_and_end(clause, clause.place, clause.times),
                german_finite_verb(clause))


def german_complex_sentence(sentence):
    """A dependent clause that comes first counts as first part of the main
    clause, so the finite verb follows at once."""
    conjunction = CONJUNCTIONS[sentence.conjunction]
    if sentence.dependent_first:
        main = sentence.second
        return join(conjunction, german_dependent_clause(sentence.first) + ",",
                    german_finite_verb(main), german_subject(main),
                    german_middle_and_end(main, main.place, main.times))
    return join(german_main_clause(sentence.first) + ",", conjunction,
                german_dependent_clause(sentence.second))


# ----------------------------------------------------------- English parser

class NotInGrammar(ValueError):
    """The text is no English sentence of this corpus."""


def parse(text):
    """The structure of an English line."""
    structure = Parser(text).line()
    if english(structure) != text:
        raise NotInGrammar(text)
    return structure


def translate(text):
    """The one right German translation of an English line."""
    return german(parse(text))


def english_number_words():
    """Every hyphenated or single word below one hundred, with its value."""
    return {english_below_hundred(value): value for value in range(1, 100)}


class Parser:
    """Recursive descent; each method reads one constituent from the left.

    The methods accept slightly more than the grammar does, e.g. "a apple";
    `parse` rejects what does not come back unchanged.
    """

    numbers = english_number_words()
    ordinals = {english_ordinal(day): day for day in range(1, 32)}
    plural_nouns = {noun.english_plural: noun for noun in NOUNS}
    agreements = [  # article, whether there is a count, whether plural
        ("the", False, False), ("the", False, True), ("the", True, True),
        ("a", False, False), ("", True, True)]

    def __init__(self, text):
        if text.endswith("."):
            text = text[:1].lower() + text[1:]
        self.words = re.findall(r"[^\s.,]+|[.,]", text)
        self.position = 0

    # -- reading words

    def peek(self, offset=0):
        index = self.position + offset
        return self.words[index] if index < len(self.words) else ""

    def accept(self, phrase):
        """Moves past the phrase if it comes next."""
        words = phrase.split()
        end = self.position + len(words)
        if not words or self.words[self.position:end] != words:
            return False
        self.position = end
        return True

    def accept_any(self, phrases):
        """Moves past the first of the phrases that comes next; "" if none."""
        return next((phrase for phrase in phrases if self.accept(phrase)), "")

    def expect(self, phrase):
        if not self.accept(phrase):
            self.fail(phrase)

    def expect_any(self, phrases, description):
        return self.accept_any(phrases) or self.fail(description)

    def fail(self, expected):
        raise NotInGrammar("expected %s at word %d of: %s" % (
            expected, self.position + 1, " ".join(self.words)))

    # -- lines

    def line(self):
        is_fragment = self.words[-1:] != ["."]
        structure = self.fragment() if is_fragment else self.sentence()
        if not is_fragment:
            self.expect(".")
        if self.position != len(self.words):
            self.fail("the end")
        return structure

    def fragment(self):
        if self.accept("on"):
            return self.date()
        if self.accept("at"):
            return self.clock()
        return Number(self.number())

    def sentence(self):
        if self.accept("it is"):
            return ClockStatement(self.clock())
        if self.peek() in DAY_WORDS and self.peek(1) in ("is", "was"):
            day_word = self.accept_any(DAY_WORDS)
            self.expect_any(("is", "was"), "is or was")
            date = self.date()
            return (DateStatement(day_word, date) if date.weekday
                    else self.fail("a weekday"))
        conjunction = self.accept_any(CONJUNCTIONS)
        if conjunction:
            first = self.clause()
            self.expect(",")
            return ComplexSentence(first, conjunction, self.clause(), True)
        first = self.clause()
        conjunction = self.accept_any(CONJUNCTIONS)
        if conjunction:
            return ComplexSentence(first, conjunction, self.clause(), False)
        return first

    # -- numbers and times

    def below_hundred(self):
        if self.peek() not in self.numbers:
            self.fail("a number")
        self.position += 1
        return self.numbers[self.words[self.position - 1]]

    def below_thousand(self):
        value = self.below_hundred()
        if not self.accept("hundred"):
            return value
        value *= 100
        if self.peek() == "and" and self.peek(1) in self.numbers:
            self.expect("and")
            value += self.below_hundred()
        return value

    def number(self):
        value = self.below_thousand()
        if not self.accept("thousand"):
            return value
        value *= 1000
        if self.accept("and"):
            return value + self.below_hundred()
        if self.peek() in self.numbers:
            value += self.below_thousand()
        return value

    def year(self):
        year = self.year_number()
        return year if year in YEARS else self.fail("another year")

    def year_number(self):
        if self.peek(1) == "thousand":
            return self.number()
        century = self.below_hundred() * 100
        if self.accept("hundred"):
            return century
        self.accept("oh")
        return century + self.below_hundred()

    def date(self):
        weekday = self.accept_any(WEEKDAYS)
        if weekday:
            self.expect(",")
        self.expect("the")
        ordinal = self.expect_any(self.ordinals, "an ordinal")
        self.expect("of")
        month = self.expect_any(MONTHS, "a month")
        year = self.year() if self.peek() in self.numbers else None
        return Date(self.ordinals[ordinal], month, year, weekday)

    def clock(self):
        hour, minute = self.clock_face()
        return Clock(hour, minute, self.accept_any(PARTS_OF_DAY))

    def clock_face(self):
        if self.peek(1) == "o'clock":
            hour = self.below_hundred()
            self.expect("o'clock")
            return self.hour(hour), 0
        words = {"quarter": 15, "half": 30}
        word = self.accept_any(words)
        minutes = words[word] if word else self.below_hundred()
        relation = self.expect_any(("past", "to"), "past or to")
        hour = self.hour(self.below_hundred())
        if minutes % 5 != 0 or minutes > 30:
            self.fail("other minutes")
        if relation == "past":
            return hour, minutes
        return (hour - 2) % 12 + 1, 60 - minutes

    def hour(self, value):
        return value if value <= 12 else self.fail("another hour")

    def time(self):
        """A time adverbial, or None if something else comes next."""
        adverb = self.accept_any(ADVERBS)
        if adverb:
            return Adverb(adverb)
        if self.accept("in the year"):
            return Year(self.year())
        if self.accept("on"):
            return self.date()
        if self.accept("at"):
            return self.clock()
        return None

    # -- noun phrases

    def place(self):
        """A place adverbial, or None if something else comes next."""
        if not self.accept("in"):
            return None
        town = self.accept_any(TOWNS)
        return Town(town) if town else self.noun_phrase()

    def noun_phrase(self):
        article = self.article()
        count = self.count() if self.peek() in self.numbers else None
        adjective = ADJECTIVE.get(self.accept_any(ADJECTIVE))
        word = self.accept_any(self.plural_nouns)
        plural = bool(word)
        noun = (self.plural_nouns[word] if plural else
                NOUN[self.expect_any(NOUN, "a noun")])
        if (article, bool(count), plural) not in self.agreements:
            self.fail("agreement in number")
        direction = self.accept_any(DIRECTIONS)
        town = Town(self.expect_any(TOWNS, "a town")) if direction else None
        return NounPhrase(noun, plural, article, count, adjective, direction,
                          town, self.relative(plural))

    def count(self):
        """How many; see `Author.countable`."""
        count = self.number()
        return count if count % 100 != 1 else self.fail("another number")

    def article(self):
        if self.accept_any(("a", "an")):
            return "a"
        return "the" if self.accept("the") else ""

    def relative(self, plural):
        """The relative clause of a noun, or None if it has none."""
        if self.accept("who"):
            return self.clause_from_verb(Gap(plural))
        if self.accept("that"):
            return self.clause_from_verb(self.noun_phrase(), Gap(plural))
        return None

    def price(self):
        euros = self.count()
        self.expect("euros")
        cents = 0
        if self.accept("and"):
            cents = self.count()
            self.expect("cents")
        return Price(euros, cents)

    # -- clauses

    def clause(self):
        """[Adverbial,] subject and the rest"""
        time = self.time()
        place = None if time else self.place()
        if time or place:
            self.expect(",")
        clause = self.clause_from_verb(self.subject())
        if time:
            return replace(clause, times=(time,) + clause.times, fronted="time")
        if place:
            return replace(clause, place=place, fronted="place")
        return clause

    def subject(self):
        pronoun = self.accept_any(PRONOUNS)
        return Pronoun(pronoun) if pronoun else self.noun_phrase()

    def clause_from_verb(self, subject, object_gap=None):
        verb, tense = self.verb_group(subject.plural)
        recipient = self.noun_phrase() if verb.takes_recipient else None
        object = object_gap or self.object_of(verb)
        place = self.place_unless_time()
        times = []
        time = self.time()
        while time:
            times.append(time)
            time = self.time()
        return Clause(subject, verb, tense, recipient, object, place,
                      tuple(times))

    def place_unless_time(self):
        """Both "in May" and "in the house" begin with the same word."""
        start = self.position
        if self.time():
            self.position = start
            return None
        return self.place()

    def object_of(self, verb):
        if verb == BE:
            return ADJECTIVE[self.expect_any(ADJECTIVE, "an adjective")]
        if verb == COST:
            return self.price()
        return self.noun_phrase() if verb.objects else None

    def verb_group(self, plural):
        """The verb and its tense."""
        if self.accept(choose(("has", "have"), plural)):
            return self.verb_form(lambda verb: verb.english_participle,
                                  VERBS), "perfect"
        for tense, (modal, _) in MODALS.items():
            if self.accept(choose(modal, plural)):
                return self.verb_form(lambda verb: verb.english, VERBS), tense
        for verb in EVENTS + VERBS:
            for tense in ("past", "present"):
                if self.accept(english_verb_group(verb, tense, plural)):
                    return verb, tense
        return self.fail("a verb")

    def verb_form(self, form, verbs):
        for verb in verbs:
            if self.accept(form(verb)):
                return verb
        return self.fail("a verb")


# --------------------------------------------------------- random sentences

# How many sentences of each hundred are of each kind.
PATTERN_WEIGHTS = {
    "number": 11, "date": 9, "clock": 2, "journey": 11, "price": 10,
    "census": 6, "plain": 13, "gift": 9, "inversion": 11, "intention": 8,
    "reason": 10, "relative": 10,
}


class Author:
    """Draws structures at random; one method per sentence pattern."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def structure(self):
        [pattern] = self.random.choices(list(PATTERN_WEIGHTS),
                                        list(PATTERN_WEIGHTS.values()))
        return getattr(self, pattern)()

    def pick(self, choices):
        return self.random.choice(list(choices))

    def chance(self, probability):
        return self.random.random() < probability

    # -- patterns

    def number(self):
        """All lengths from three to six digits equally often."""
        digits = self.pick([3, 4, 5, 6])
        value = self.random.randrange(10 ** (digits - 1), 10 ** digits)
        if self.chance(0.15):
            value = self.round_number(value)
        return Number(value)

    def round_number(self, value):
        """Some digits set to zero, so that these numbers are not rare."""
        step = self.pick([10, 100, 1000])
        kept = max(value // step, 1) * step
        return kept + (self.random.randrange(10) if self.chance(0.5) else 0)

    def date(self):
        date = self.full_date()
        form = self.random.random()
        if form < 0.4:
            return date
        if form < 0.7:
            return DateStatement(self.pick(DAY_WORDS), replace(date, year=None))
        return Clause(self.noun_phrase(self.noun_of_kind("person"),
                                       self.pick(["the", "the", "a"])),
                      BE_BORN, "past", times=(replace(date, weekday=""),))

    def clock(self):
        time = self.time_of_day()
        return time if self.chance(0.5) else ClockStatement(time)

    def journey(self):
        """The train to Hamburg leaves on Monday at half past three."""
        verb, direction = self.pick([(LEAVE, "to"), (ARRIVE, "from")])
        subject = replace(
            self.noun_phrase(self.noun_of_kind("vehicle"), "the", 0.4),
            direction=direction, town=Town(self.pick(TOWNS)))
        times = [self.time_of_day()]
        if self.chance(0.6):
            times.insert(0, Adverb(self.pick(["today", "tomorrow"] + [
                "on " + weekday for weekday in WEEKDAYS])))
        fronted = "time" if len(times) == 2 and self.chance(0.6) else ""
        return Clause(subject, verb, "present", times=tuple(times),
                      fronted=fronted)

    def price(self):
        """The twelve green chairs cost ninety-nine euros."""
        kind = self.pick(["food", "text", "thing", "thing", "animal", "house"])
        noun = NOUN["house"] if kind == "house" else self.noun_of_kind(kind)
        subject = self.noun_phrase(noun, "the")
        if noun.english != "house" and self.chance(0.4):
            subject = replace(subject, plural=True, count=self.small_count())
        return Clause(subject, COST, "present", object=self.price_of(noun))

    def census(self):
        """In the year nineteen eighty-four, ... people lived in Hamburg."""
        if self.chance(0.5):
            place, digits = Town(self.pick(TOWNS)), self.pick([5, 6, 6])
        else:
            place = self.noun_phrase(self.pick([NOUN["city"], NOUN["village"]]),
                                     "the", 0.8)
            digits = self.pick([3, 4] if place.noun.english == "village"
                               else [4, 5, 6])
        people = NounPhrase(NOUN["person"], True, "", self.countable(
            10 ** (digits - 1), 10 ** digits - 1))
        return Clause(people, LIVE, "past", place=place,
                      times=(Year(self.a_year()),), fronted="time")

    def plain(self):
        """The old teacher has bought twenty-one red books."""
        clause = self.act(self.person(), self.pick(["past", "perfect"]))
        return self.with_adverbials(clause, place=0.35, time=0.5)

    def gift(self):
        """The aunt gave the poor boys nine fresh pears."""
        tense = self.pick(["past", "perfect", "perfect", *MODALS])
        clause = self.act(self.person(), tense, self.verb(recipient=True))
        return self.with_adverbials(clause, place=0, time=0.35)

    def inversion(self):
        """Yesterday, the boy sold the blue bicycle."""
        tense = self.pick(["past", "past", "perfect", *MODALS])
        clause = self.act(self.person(), tense)
        if self.chance(0.3):
            clause = self.with_adverbials(clause, place=1, time=0.3)
            return replace(clause, fronted="place")
        clause = self.with_adverbials(clause, place=0.2, time=1)
        return replace(clause, fronted="time")

    def intention(self):
        """The girl wants to buy seven green apples tomorrow."""
        clause = self.act(self.person(), self.pick(MODALS))
        return self.with_adverbials(clause, place=0.3, time=0.5)

    def reason(self):
        """The boy ate nine apples because he was hungry."""
        person = self.person()
        pronoun = Pronoun("they" if person.plural else person.noun.pronoun)
        tense = self.pick(["past", "perfect", *MODALS])
        state_tense = "past" if tense == "past" else "present"
        state = Clause(person, BE, state_tense,
                       object=self.adjective_of("state"))
        act = self.with_adverbials(self.act(person, tense), place=0.2, time=0.2)
        first, second = (state, act) if self.chance(0.5) else (act, state)
        return ComplexSentence(first, self.pick(CONJUNCTIONS),
                               replace(second, subject=pronoun),
                               dependent_first=self.chance(0.5))

    def relative(self):
        """The picture that the aunt has found is expensive."""
        tense = self.pick(["past", "perfect"])
        act = self.with_adverbials(self.act(self.person(), tense),
                                   place=0.15, time=0.25)
        if self.chance(0.5):
            head = replace(act.subject, article="the", adjective=None,
                           relative=replace(act, subject=Gap(
                               act.subject.plural)))
            return Clause(head, BE, "present",
                          object=self.adjective_of("person"))
        count = self.pick([None, None, self.small_count()])
        noun = act.object.noun
        plural = count is not None
        head = NounPhrase(noun, plural, "the", count,
                          relative=replace(act, object=Gap(plural)))
        if self.chance(0.5):
            return Clause(head, COST, "present", object=self.price_of(noun))
        return Clause(head, BE, "present", object=self.adjective_of(noun.kind))

    # -- parts of clauses

    def act(self, subject, tense, verb=None):
        """Somebody does something (to somebody)."""
        verb = verb or self.verb(recipient=False)
        recipient = None
        while verb.takes_recipient and (
                recipient is None or recipient.noun == subject.noun):
            recipient = self.person()
        return Clause(subject, verb, tense, recipient, self.object_of(verb))

    def verb(self, recipient):
        return self.pick(verb for verb in VERBS
                         if verb.takes_recipient == recipient)

    def object_of(self, verb):
        noun = self.pick(noun for noun in NOUNS
                         if noun.kind in verb.objects
                         or noun.english in verb.objects)
        if self.chance(0.5):
            return NounPhrase(noun, True, "", self.count_up_to(
                verb.largest_count), self.maybe_adjective(noun.kind, 0.65))
        return self.noun_phrase(noun, self.pick(["the", "a"]))

    def person(self):
        """the girl, a rich farmer, the young doctors, the three men"""
        noun = self.noun_of_kind("person")
        form = self.random.random()
        if form < 0.7:
            return self.noun_phrase(noun, "the" if form < 0.5 else "a")
        count = self.small_count() if form < 0.85 else None
        return NounPhrase(noun, True, "the", count,
                          self.maybe_adjective("person", 0.5))

    def noun_phrase(self, noun, article, adjective_probability=0.6):
        adjective = self.maybe_adjective(noun.kind, adjective_probability)
        return NounPhrase(noun, False, article, None, adjective)

    def noun_of_kind(self, kind):
        return self.pick(noun for noun in NOUNS if noun.kind == kind)

    def adjective_of(self, kind):
        return ADJECTIVE[self.pick(ADJECTIVES_OF[kind])]

    def maybe_adjective(self, kind, probability):
        return self.adjective_of(kind) if self.chance(probability) else None

    def with_adverbials(self, clause, place, time):
        """Adds a place and a time with the given probabilities."""
        if self.chance(place):
            clause = replace(clause, place=self.noun_phrase(
                self.noun_of_kind("place"), self.pick(["the", "the", "a"]),
                0.4))
        if self.chance(time):
            clause = replace(clause, times=(self.time_for(clause.tense),))
        return clause

    def time_for(self, tense):
        """English says "has bought today" but not "has bought on Monday"."""
        if tense == "perfect":
            return Adverb(self.pick(["today", "this week", "this year"]))
        form = self.random.random()
        if form < 0.25:
            return Adverb("on " + self.pick(WEEKDAYS))
        if form < 0.4:
            return replace(self.full_date(), weekday="", year=None)
        if form < 0.55:
            return self.time_of_day()
        if tense == "past":
            months = ["in " + month for month in MONTHS]
            return Adverb(self.pick(["yesterday", "last week", "last year",
                                     self.pick(months)]))
        return Adverb(self.pick(["today", "tomorrow", "this week"]))

    # -- numbers and times

    def countable(self, smallest, largest):
        """A number of several things; 101, 201, ... things have no settled
        form in German."""
        value = self.random.randint(smallest, largest)
        return value + 1 if value % 100 == 1 else value

    def small_count(self):
        return self.random.randint(2, 12)

    def count_up_to(self, largest):
        form = self.random.random()
        if form < 0.25:
            return self.small_count()
        if form < 0.8:
            return self.random.randint(13, min(largest, 99))
        return self.countable(13, largest)

    def price_of(self, noun):
        if noun.kind in ("food", "text"):
            return Price(self.random.randint(2, 99), self.pick(
                [0, self.random.randint(2, 99)]))
        if noun.english == "house":
            return Price(self.random.randint(100, 999) * 1000
                         + self.pick([0, 500]))
        if noun.english in ("car", "horse", "picture"):
            return Price(self.countable(1000, 99999))
        return Price(self.countable(20, 999))

    def a_year(self):
        return self.pick(YEARS)

    def full_date(self):
        """A date of the calendar, with its true weekday."""
        day = datetime.date(self.a_year(), 1, 1) + datetime.timedelta(
            days=self.random.randrange(365))
        return Date(day.day, list(MONTHS)[day.month - 1], day.year,
                    list(WEEKDAYS)[day.weekday()])

    def time_of_day(self):
        """Half of the times say to which part of the day they belong."""
        minute = self.random.randrange(0, 60, 5)
        if self.chance(0.5):
            return Clock(self.random.randint(1, 12), minute)
        part_of_day, hours = self.pick([
            ("in the morning", [5, 6, 7, 8, 9]),
            ("in the afternoon", [1, 2, 3, 4, 5]),
            ("in the evening", [6, 7, 8, 9]),
            ("at night", [10, 11, 12, 1, 2, 3])])
        return Clock(self.pick(hours), minute, part_of_day)


# ----------------------------------------------------------------- the files

def distinct_pairs(author, size, known_english, known_german):
    """Translation pairs of which neither side is known yet."""
    pairs = []
    while len(pairs) < size:
        structure = author.structure()
        source, target = english(structure), german(structure)
        if source not in known_english and target not in known_german:
            known_english.add(source)
            known_german.add(target)
            pairs.append((source, target))
    return pairs


def small_number_pairs():
    """The numbers that all others are built of; they are for training only."""
    return [(english_number(value), german_number(value))
            for value in range(1, 100)]


def generate(seed):
    """The pairs of each split."""
    author = Author(seed)
    basics = small_number_pairs()
    known_english = {source for source, _ in basics}
    known_german = {target for _, target in basics}
    splits = {name: distinct_pairs(author, SPLIT_SIZES[name],
                                   known_english, known_german)
              for name in ("test", "dev")}
    train = basics + distinct_pairs(author, SPLIT_SIZES["train"] - len(basics),
                                    known_english, known_german)
    author.random.shuffle(train)
    return {"train": train, **splits}


def split_paths(directory, split):
    """The English and the German file; the big ones are compressed."""
    suffix = ".gz" if split == "train" else ""
    return [directory / (split + "." + language + suffix)
            for language in ("en", "de")]


def write_lines(path, lines):
    data = "".join(line + "\n" for line in lines).encode("utf-8")
    with open(path, "wb") as file:
        if path.suffix != ".gz":
            file.write(data)
            return
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed:
            compressed.write(data)


def read_lines(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().splitlines()


def write_corpus(directory, seed):
    for split, pairs in generate(seed).items():
        for path, lines in zip(split_paths(directory, split), zip(*pairs)):
            write_lines(path, lines)
            print("%s: %d lines" % (path, len(lines)))


# ---------------------------------------------------------------- the checks

def translation_or_none(source):
    try:
        return translate(source)
    except NotInGrammar:
        return None


def check(source_path, hypothesis_path, shown=5):
    """Prints how many translations are exactly right, and some others."""
    sources, hypotheses = read_lines(source_path), read_lines(hypothesis_path)
    if len(sources) != len(hypotheses):
        sys.exit("%s has %d lines but %s has %d" % (
            source_path, len(sources), hypothesis_path, len(hypotheses)))
    wrong = []
    for number, (source, got) in enumerate(zip(sources, hypotheses), 1):
        expected = translation_or_none(source)
        if got != expected:
            wrong.append((number, source, expected, got))
    right = len(sources) - len(wrong)
    print("exactly right: %d of %d (%.1f%%)" % (
        right, len(sources), 100 * right / max(len(sources), 1)))
    for number, source, expected, got in wrong[:shown]:
        print("line %d\n  source:   %s\n  expected: %s\n  got:      %s" % (
            number, source, expected or "(source is not in the grammar)", got))


def verify(directory):
    """Prints what is wrong with the stored corpus; true if nothing is."""
    splits = {split: [read_lines(path)
                      for path in split_paths(directory, split)]
              for split in SPLIT_SIZES}
    problems = []
    for split, (sources, targets) in splits.items():
        problems += wrong_pairs(split, sources, targets)
    for side in (0, 1):
        problems += repeated_lines(
            {split: sides[side] for split, sides in splits.items()})
    problems += rare_words(splits["train"][0])
    for problem in problems[:20]:
        print(problem)
    print("%d problems" % len(problems) if problems else
          "all %d pairs are right, and no sentence occurs twice" % sum(
              len(sources) for sources, _ in splits.values()))
    return not problems


def wrong_pairs(split, sources, targets):
    problems = []
    if not len(sources) == len(targets) == SPLIT_SIZES[split]:
        problems.append("%s: %d English and %d German lines instead of %d" % (
            split, len(sources), len(targets), SPLIT_SIZES[split]))
    for number, (source, target) in enumerate(zip(sources, targets), 1):
        expected = translation_or_none(source)
        if target != expected:
            problems.append("%s line %d: %s | %s | expected: %s" % (
                split, number, source, target, expected))
    return problems


def repeated_lines(lines_of_split):
    """Sentences that occur twice, in one split or in two."""
    first_seen = {}
    problems = []
    for split, lines in lines_of_split.items():
        for line in lines:
            if line in first_seen:
                problems.append("in %s and again in %s: %s" % (
                    first_seen[line], split, line))
            first_seen.setdefault(line, split)
    return problems


def rare_words(lines):
    """English words, hyphenated ones taken apart, that are too rare."""
    counts = collections.Counter(
        word.lower() for line in lines for word in re.split(r"[\s,.-]+", line)
        if word)
    return ["train has %s only %d times" % (word, count)
            for word, count in sorted(counts.items()) if count < RAREST_WORD]


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(
        description="Writes or verifies the sample corpus, or grades "
                    "translations of it.")
    parser.add_argument("--directory", type=Path, default=here,
                        help="where the corpus files are (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--verify", action="store_true",
                        help="check the stored pairs and splits")
    parser.add_argument("--check", type=Path, metavar="HYPOTHESIS",
                        help="German lines to grade; needs --source")
    parser.add_argument("--source", type=Path, metavar="FILE",
                        help="the English lines that were translated")
    arguments = parser.parse_args()
    if arguments.check:
        if not arguments.source:
            parser.error("--check needs --source")
        check(arguments.source, arguments.check)
        return 0
    if arguments.verify:
        return 0 if verify(arguments.directory) else 1
    write_corpus(arguments.directory, arguments.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
