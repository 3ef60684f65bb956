#include "modules.hpp"

namespace retime::bvh {

void bind(nanobind::module_ &) {}

}  // namespace retime::bvh
