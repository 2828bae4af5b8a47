#include "model/model_file.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <cstring>

#include "base/error.h"
#include "base/file.h"

namespace transformer {
namespace {

constexpr const char* kFormat = "transformer-1";

/// What follows the archive: zip readers look for their directory from the end and pass over it.
struct Trailer {
  char magic[8];
  uint32_t checksum;
  uint32_t reserved;
};
constexpr char kMagic[8] = {'T', 'R', 'F', 'C', 'R', 'C', '3', '2'};

torch::Tensor to_tensor(const std::string& bytes) {
  torch::Tensor tensor = torch::empty({static_cast<int64_t>(bytes.size())}, torch::kByte);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

std::string to_bytes(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), static_cast<size_t>(tensor.numel())};
}

}  // namespace

void save_archive(const std::string& path, const Archive& archive) {
  c10::impl::GenericDict entries(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, value] : archive) entries.insert(name, value);
  const std::vector<char> bytes = torch::jit::pickle_save(entries);
  const std::string_view view(bytes.data(), bytes.size());
  Trailer trailer{{}, crc32_of(view), 0};
  std::memcpy(trailer.magic, kMagic, sizeof(kMagic));
  AtomicFile file(path);
  file.write(view);
  file.write({reinterpret_cast<const char*>(&trailer), sizeof(trailer)});
  file.commit();
}

Archive load_archive(const std::string& path) {
  std::string bytes = read_file(path);
  Trailer trailer;
  const bool has_trailer = bytes.size() > sizeof(Trailer);
  if (has_trailer) std::memcpy(&trailer, bytes.data() + bytes.size() - sizeof(Trailer), sizeof(Trailer));
  if (!has_trailer || std::memcmp(trailer.magic, kMagic, sizeof(kMagic)) != 0) {
    throw DamagedFile(path, ": not a model file of this program, or cut short; copy it again or use another one");
  }
  const std::string_view archive(bytes.data(), bytes.size() - sizeof(Trailer));
  if (crc32_of(archive) != trailer.checksum) {
    throw DamagedFile(path, ": damaged (its checksum does not fit its content); copy it again or use another one");
  }
  const std::vector<char> pickled(archive.begin(), archive.end());
  bytes = std::string();  // one copy is enough
  const auto value = torch::jit::pickle_load(pickled);
  Archive entries;
  for (const auto& entry : value.toGenericDict()) {
    entries.emplace(entry.key().toStringRef(), entry.value());
  }
  return entries;
}

const c10::IValue& archive_entry(const Archive& archive, const std::string& name, const std::string& path) {
  const auto entry = archive.find(name);
  if (entry == archive.end()) {
    throw Error(path, ": has no entry '", name, "'; it was written by another version of this program");
  }
  return entry->second;
}

Archive to_archive(const ModelFile& model) {
  Archive archive;
  archive.emplace("format", std::string(kFormat));
  archive.emplace("config", model.config);
  archive.emplace("vocabulary", to_tensor(model.vocabulary));
  archive.emplace("parameters", model.parameters);
  return archive;
}

ModelFile model_from_archive(const Archive& archive, const std::string& path) {
  if (archive_entry(archive, "format", path).toStringRef() != kFormat) {
    throw Error(path, ": a model file of another version of this program; this one reads ", kFormat);
  }
  ModelFile model{archive_entry(archive, "config", path).toStringRef(),
                  to_bytes(archive_entry(archive, "vocabulary", path).toTensor()), NamedTensors()};
  for (const auto& entry : archive_entry(archive, "parameters", path).toGenericDict()) {
    model.parameters.insert(entry.key().toStringRef(), entry.value().toTensor());
  }
  return model;
}

void save_model(const std::string& path, const ModelFile& model) { save_archive(path, to_archive(model)); }

ModelFile load_model(const std::string& path) { return model_from_archive(load_archive(path), path); }

NamedTensors copy_parameters(const torch::nn::Module& module) {
  NamedTensors copies;
  for (const auto& named : module.named_parameters()) {
    copies.insert(named.key(), named.value().detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
  return copies;
}

void set_parameters(torch::nn::Module& module, const NamedTensors& parameters, const std::string& path) {
  torch::NoGradGuard no_grad;
  auto own = module.named_parameters();
  for (auto& named : own) {
    if (!parameters.contains(named.key())) {
      throw Error(path, ": has no parameter '", named.key(), "'; it belongs to another architecture");
    }
    const torch::Tensor& given = parameters.at(named.key());
    if (given.sizes() != named.value().sizes()) {
      throw Error(path, ": parameter '", named.key(), "' is ", given.sizes(), ", expected ", named.value().sizes(),
                  "; it belongs to another architecture");
    }
    named.value().copy_(given);
  }
  if (parameters.size() != own.size()) {
    throw Error(path, ": has ", parameters.size(), " parameters, expected ", own.size(),
                "; it belongs to another architecture");
  }
}

}  // namespace transformer
