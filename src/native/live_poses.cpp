#include "modules.hpp"

namespace retime::live_poses {

void bind(nanobind::module_ &) {}

}  // namespace retime::live_poses
