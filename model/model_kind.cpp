// Names of enumerations in predictions.
#include "model/prediction.h"

namespace wavecast::model {

std::string_view to_string(ModelKind kind) { return kind == ModelKind::cycle ? "cycle" : "analytic"; }

}  // namespace wavecast::model
