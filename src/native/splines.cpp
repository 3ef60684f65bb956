#include "modules.hpp"

namespace retime::splines {

void bind(nanobind::module_ &) {}

}  // namespace retime::splines
