#include "modules.hpp"

namespace retime::timing {

void bind(nanobind::module_ &) {}

}  // namespace retime::timing
