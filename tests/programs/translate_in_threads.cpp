// Translates the lines of stdin with a model file, from four threads that share the model. It is linked to the library
// `inference` alone: translate_in_threads MODEL < INPUT > OUTPUT
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "inference/loaded_model.h"
#include "inference/translator.h"

using namespace transformer;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const LoadedModel model = load_for_inference(argv[1], torch::kCPU);
    const Translator translator(model.network, model.tokenizers, model.config.decoding, TranslatorOptions());

    constexpr size_t kThreads = 4;
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    std::vector<std::future<std::vector<TranslatedLine>>> parts;
    for (size_t i = 0; i < kThreads; ++i) {
      const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(lines.size() * i / kThreads),
                 end = lines.begin() + static_cast<std::ptrdiff_t>(lines.size() * (i + 1) / kThreads);
      parts.push_back(std::async(std::launch::async, [&translator, part = std::vector(begin, end)] {
        return translator.translate(requests_of(part));
      }));
    }
    for (auto& part : parts) {
      for (const TranslatedLine& line : part.get()) std::cout << line.best().text << '\n';
    }
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
