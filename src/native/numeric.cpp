#include "modules.hpp"

namespace retime::numeric {

void bind(nanobind::module_ &) {}

}  // namespace retime::numeric
