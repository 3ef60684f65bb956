#include "modules.hpp"

namespace retime::gltf {

void bind(nanobind::module_ &) {}

}  // namespace retime::gltf
