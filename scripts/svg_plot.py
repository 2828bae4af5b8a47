"""Line charts as SVG, for the scripts that draw figures of the documents."""
import math

WIDTH, HEIGHT, MARGIN = 420, 240, 46


def ticks(low, high):
    """About four round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low) / 3 or 1))
    step = next(s for s in (step, 2 * step, 5 * step, 10 * step) if (high - low) / s <= 5)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def panel(title, series, column, from_zero=True, mark=None):
    """One chart. Series are (name, color, points); both axes begin at 0 unless `from_zero` is false. `mark` is
    (x, text): a vertical line at x."""
    points = [point for _, _, line in series for point in line]
    left = column * WIDTH
    low_x, high_x = (0 if from_zero else min(x for x, _ in points)), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    if from_zero:
        low = min(0, low)
    else:
        low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)

    def x_of(x):
        return left + MARGIN + (x - low_x) / ((high_x - low_x) or 1) * (WIDTH - MARGIN - 12)

    def y_of(y):
        return HEIGHT - 34 - (y - low) / ((high - low) or 1) * (HEIGHT - 70)

    parts = [f'<text x="{left + MARGIN}" y="18" font-weight="bold">{title}</text>']
    for y in ticks(low, high):
        parts.append(f'<line x1="{x_of(low_x)}" x2="{x_of(high_x)}" y1="{y_of(y):.1f}" y2="{y_of(y):.1f}" '
                     'stroke="#ddd"/>')
        parts.append(f'<text x="{x_of(low_x) - 6}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for x in ticks(low_x, high_x):
        parts.append(f'<text x="{x_of(x):.1f}" y="{HEIGHT - 16}" text-anchor="middle">{x:{",.0f" if x > 99 else "g"}}'
                     '</text>')
    if mark:
        x, text = mark
        parts.append(f'<line x1="{x_of(x):.1f}" x2="{x_of(x):.1f}" y1="36" y2="{HEIGHT - 34}" stroke="#999" '
                     'stroke-dasharray="4 3"/>')
        parts.append(f'<text x="{x_of(x) + 4:.1f}" y="{HEIGHT - 40}" fill="#666">{text}</text>')
    for number, (name, color, line) in enumerate(series):
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        parts.append(f'<text x="{left + WIDTH - 12}" y="{34 + 15 * number}" fill="{color}" text-anchor="end">{name}'
                     '</text>')
    return parts


def write_svg(path, panels):
    """Writes charts side by side; `panels` are the results of `panel` for the columns 0, 1, ..."""
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(panels) * WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([head] + [part for parts in panels for part in parts] + ["</svg>"]) + "\n")
