// The parts of the module: each is a file with a function `bind`.
#pragma once

#include "binding.hpp"

#define RETIME_PARTS(PART)                                               \
    PART(timing, "Curves of time.")                                      \
    PART(motion, "Rotations, resampling and forward kinematics.")        \
    PART(contacts, "Scores of contacts over frames.")                    \
    PART(limbs, "Limbs of two bones.")                                   \
    PART(posing, "Poses of a whole figure.")                             \
    PART(bvh, "Text of BVH files.")                                      \
    PART(gltf, "Compressed buffers of glTF files.")                      \
    PART(beats, "Beats of songs, and accents on beats.")                 \
    PART(splines, "Cubic splines of rotations and positions.")           \
    PART(surfaces, "Where surfaces of time meet paths.")                 \
    PART(dtw, "Dynamic time warping.")                                   \
    PART(live_poses, "Poses of a live performer.")                       \
    PART(live_cycles, "Belief over places and rates, with repetitions.") \
    PART(paper, "The published search of guided time warping.")          \
    PART(physics_figure, "Generalised forces of a figure.")              \
    PART(physics_contacts, "Forces at contacts.")                        \
    PART(physics_polygons, "Feasible polygons.")                         \
    PART(physics_search, "The search for a physical timing.")            \
    PART(physics_timing, "Objectives, and fastest and slowest timings.") \
    PART(pacing, "One timing problem of whole bodies.")                  \
    PART(joint_times, "Joints at times of their own.")                   \
    PART(numeric, "Banded systems, filters, peaks and curves through samples.")

#define RETIME_DECLARE(name, help)        \
    namespace retime::name {              \
    void bind(nanobind::module_ &module); \
    }
RETIME_PARTS(RETIME_DECLARE)
#undef RETIME_DECLARE
