#include "modules.hpp"

namespace retime::guided_polish {

void bind(nanobind::module_ &) {}

}  // namespace retime::guided_polish
