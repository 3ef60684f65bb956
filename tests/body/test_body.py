"""Roles of the skeletons that makers of motion really ship, by names and by shape alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from retime import InputError, Motion, Skeleton, find_body, quat, samples
from retime.body import ROLES, Body
from retime.body.solve.hinges import within_hinges
from retime.motion import Units, UpAxis
from retime.motion.quat import identity
from retime.motion.skeleton import EndSite

MIDDLE = ("hips", "spine", "chest", "upper_chest", "neck", "head")
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG = ("upper_leg", "lower_leg", "foot", "toe")
# Where the roles' joints stand in a T-pose, in metres: left is +X, the front is +Z.
POSE: dict[str, tuple[float, float, float]] = {
    "hips": (0.0, 1.0, 0.0),
    "spine": (0.0, 1.1, 0.0),
    "chest": (0.0, 1.25, 0.0),
    "upper_chest": (0.0, 1.38, 0.0),
    "neck": (0.0, 1.5, 0.0),
    "head": (0.0, 1.6, 0.02),
    "shoulder": (0.05, 1.45, 0.0),
    "upper_arm": (0.18, 1.45, 0.0),
    "lower_arm": (0.46, 1.45, 0.0),
    "hand": (0.71, 1.45, 0.0),
    "upper_leg": (0.1, 0.95, 0.0),
    "lower_leg": (0.1, 0.5, 0.01),
    "foot": (0.1, 0.08, 0.0),
    "toe": (0.1, 0.02, 0.14),
}


@dataclass(frozen=True)
class Rig:
    """A maker's joints: ``@`` stands for the side, ``;`` parts the chains, ``-`` is no joint."""

    sides: tuple[str, str]
    tree: str
    middle: str
    arm: str
    leg: str

    def links(self) -> list[tuple[str, str | None]]:
        """Every joint and its parent."""
        out: dict[str, str | None] = {}
        for chain in self.tree.split(";"):
            for side in self.sides if "@" in chain else ("",):
                above = None
                for name in (n.strip().replace("@", side) for n in chain.split(">")):
                    out.setdefault(name, above)
                    above = name
        return list(out.items())

    def roles(self) -> dict[str, str]:
        """The joint that each role should be."""
        out = dict(zip(MIDDLE, _names(self.middle), strict=True))
        for side, mark in zip(("left", "right"), self.sides, strict=True):
            for parts, names in ((ARM, self.arm), (LEG, self.leg)):
                for part, name in zip(parts, _names(names), strict=True):
                    out[f"{side}_{part}"] = name.replace("@", mark)
        return {role: name for role, name in out.items() if name != "-"}

    def motion(self) -> Motion:
        """A standing frame; joints without a role lie a little beside their parent."""
        links = self.links()
        points: dict[str, np.ndarray] = {}
        for role, name in self.roles().items():
            side, _, part = role.partition("_")
            mirror = [-1.0 if side == "right" else 1.0, 1.0, 1.0]
            place = POSE[part if side in ("left", "right") else role]
            points.setdefault(name, np.array(place) * mirror)
        for name, above in links:
            beside = np.zeros(3) if above is None else points[above] + [0.0, 0.01, 0.01]
            points.setdefault(name, beside)
        names = [n for n, _ in links]
        parents = [-1 if above is None else names.index(above) for _, above in links]
        return posed(names, parents, [points[n] for n in names])


def _names(text: str) -> list[str]:
    return [n.strip() for n in text.split(",")]


def posed(
    names: list[str],
    parents: list[int],
    points: Iterable[Iterable[float]],
    ends: Iterable[tuple[int, tuple[float, float, float]]] = (),
    up: UpAxis = "Y",
) -> Motion:
    """One frame of a skeleton whose joints stand at given points, Y up."""
    place = np.array([list(p) for p in points])
    tips = [(parent, np.array(offset)) for parent, offset in ends]
    if up == "Z":
        place = place[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
        tips = [(p, o[[0, 2, 1]] * [1.0, -1.0, 1.0]) for p, o in tips]
    offsets = np.array(
        [p - (place[q] if q >= 0 else 0.0) for p, q in zip(place, parents, strict=True)]
    )
    sites = [EndSite(p, (float(o[0]), float(o[1]), float(o[2]))) for p, o in tips]
    skeleton = Skeleton(tuple(names), np.array(parents), offsets, end_sites=tuple(sites))
    roots = {skeleton.names[r]: offsets[[r]] for r in skeleton.roots}
    return Motion(skeleton, identity(1, len(names)), roots, units=Units(1.0, up))


def found(body: Body) -> dict[str, str]:
    return {role: body.skeleton.names[j] for role, j in body.roles.items()}


WORD = ("Left", "Right")
SMALL, CAPITAL = ("l", "r"), ("L", "R")
MIXAMO = (
    "P:Hips > P:Spine > P:Spine1 > P:Spine2 > P:Neck > P:Head > P:HeadTop_End;"
    "P:Spine2 > P:@Shoulder > P:@Arm > P:@ForeArm > P:@Hand > P:@HandThumb1 > P:@HandThumb2;"
    "P:@Hand > P:@HandIndex1 > P:@HandIndex2 > P:@HandIndex3 > P:@HandIndex4;"
    "P:Hips > P:@UpLeg > P:@Leg > P:@Foot > P:@ToeBase > P:@Toe_End"
)
MIXAMO_ROLES = (
    "P:Hips, P:Spine, P:Spine1, P:Spine2, P:Neck, P:Head",
    "P:@Shoulder, P:@Arm, P:@ForeArm, P:@Hand",
    "P:@UpLeg, P:@Leg, P:@Foot, P:@ToeBase",
)


def _mixamo(prefix: str) -> Rig:
    tree, middle, arm, leg = (t.replace("P:", prefix) for t in (MIXAMO, *MIXAMO_ROLES))
    return Rig(WORD, tree, middle, arm, leg)


RIGS: dict[str, Rig] = {
    "Mixamo": _mixamo("mixamorig:"),
    "Mixamo, second character": _mixamo("mixamorig1:"),
    "Mixamo in three.js": _mixamo("mixamorig"),
    "Mixamo without prefix": _mixamo(""),
    "MotionBuilder": _mixamo("Character1_"),
    "a namespace of its own": _mixamo("Bob_the_Actor_"),
    "a namespace glued by a dash": _mixamo("Model-"),
    "CMU BVH": Rig(
        WORD,
        "Hips > LHipJoint; Hips > RHipJoint; LHipJoint > LeftUpLeg; RHipJoint > RightUpLeg;"
        "@UpLeg > @Leg > @Foot > @ToeBase; Hips > LowerBack > Spine > Spine1 > Neck > Neck1 > Head;"
        "Spine1 > @Shoulder > @Arm > @ForeArm > @Hand > @FingerBase > @HandIndex1;"
        "LeftHand > LThumb; RightHand > RThumb",
        "Hips, LowerBack, Spine, Spine1, Neck, Head",
        "@Shoulder, @Arm, @ForeArm, @Hand",
        "@UpLeg, @Leg, @Foot, @ToeBase",
    ),
    "CMU ASF, Vicon BodyBuilder": Rig(
        SMALL,
        "root > @hipjoint > @femur > @tibia > @foot > @toes; root > lowerback > upperback > thorax"
        " > lowerneck > upperneck > head; thorax > @clavicle > @humerus > @radius > @wrist > @hand"
        " > @fingers; @wrist > @thumb",
        "root, lowerback, upperback, thorax, lowerneck, head",
        "@clavicle, @humerus, @radius, @wrist",
        "@femur, @tibia, @foot, @toes",
    ),
    "Vicon Shogun": Rig(
        WORD,
        "Hips > Spine > Spine1 > Spine2 > Spine3 > Neck > Neck1 > Head; Spine3 > @Shoulder > @Arm"
        " > @ForeArm > @Hand > @HandIndex1; Hips > @UpLeg > @Leg > @Foot > @ToeBase",
        "Hips, Spine, Spine2, Spine3, Neck, Head",
        "@Shoulder, @Arm, @ForeArm, @Hand",
        "@UpLeg, @Leg, @Foot, @ToeBase",
    ),
    "Rokoko": Rig(
        WORD,
        "Hips > Spine1 > Spine2 > Spine3 > Spine4 > Neck > Head; Spine4 > @Shoulder > @Arm"
        " > @ForeArm > @Hand > @Finger1Metacarpal > @Finger1Proximal;"
        "Hips > @Thigh > @Shin > @Foot > @Toe > @ToeTip",
        "Hips, Spine1, Spine3, Spine4, Neck, Head",
        "@Shoulder, @Arm, @ForeArm, @Hand",
        "@Thigh, @Shin, @Foot, @Toe",
    ),
    "Xsens BVH": Rig(
        WORD,
        "Hips > Chest > Chest2 > Chest3 > Chest4 > Neck > Head; Chest4 > @Collar > @Shoulder"
        " > @Elbow > @Wrist; Hips > @Hip > @Knee > @Ankle > @Toe",
        "Hips, Chest, Chest3, Chest4, Neck, Head",
        "@Collar, @Shoulder, @Elbow, @Wrist",
        "@Hip, @Knee, @Ankle, @Toe",
    ),
    "Xsens MVN": Rig(
        WORD,
        "Pelvis > L5 > L3 > T12 > T8 > Neck > Head; T8 > @Shoulder > @UpperArm > @ForeArm > @Hand;"
        "Pelvis > @UpperLeg > @LowerLeg > @Foot > @Toe",
        "Pelvis, L5, T12, T8, Neck, Head",
        "@Shoulder, @UpperArm, @ForeArm, @Hand",
        "@UpperLeg, @LowerLeg, @Foot, @Toe",
    ),
    "Unreal": Rig(
        SMALL,
        "root > pelvis > spine_01 > spine_02 > spine_03 > neck_01 > head; spine_03 > clavicle_@"
        " > upperarm_@ > lowerarm_@ > hand_@ > index_01_@; upperarm_@ > upperarm_twist_01_@;"
        "lowerarm_@ > lowerarm_twist_01_@; pelvis > thigh_@ > thigh_twist_01_@;"
        "thigh_@ > calf_@ > calf_twist_01_@; calf_@ > foot_@ > ball_@; root > ik_foot_root"
        " > ik_foot_@; root > ik_hand_root > ik_hand_gun > ik_hand_@",
        "pelvis, spine_01, spine_02, spine_03, neck_01, head",
        "clavicle_@, upperarm_@, lowerarm_@, hand_@",
        "thigh_@, calf_@, foot_@, ball_@",
    ),
    "MetaHuman": Rig(
        SMALL,
        "root > pelvis > spine_01 > spine_02 > spine_03 > spine_04 > spine_05 > neck_01 > neck_02"
        " > head > FACIAL_C_FacialRoot; spine_04 > spine_04_latissimus_@; spine_05 > clavicle_@"
        " > upperarm_@ > upperarm_correctiveRoot_@ > upperarm_out_@; upperarm_@ > lowerarm_@"
        " > hand_@ > wrist_inner_@; pelvis > thigh_@ > thigh_correctiveRoot_@ > thigh_fwd_lwr_@;"
        "thigh_@ > calf_@ > calf_correctiveRoot_@ > calf_knee_@; calf_@ > foot_@ > ball_@"
        " > bigtoe_01_@; foot_@ > ankle_fwd_@",
        "pelvis, spine_01, spine_03, spine_05, neck_01, head",
        "clavicle_@, upperarm_@, lowerarm_@, hand_@",
        "thigh_@, calf_@, foot_@, ball_@",
    ),
    "VRM": Rig(
        ("left", "right"),
        "hips > spine > chest > upperChest > neck > head > jaw; head > @Eye; upperChest > @Shoulder"
        " > @UpperArm > @LowerArm > @Hand > @ThumbProximal; hips > @UpperLeg > @LowerLeg > @Foot"
        " > @Toes",
        "hips, spine, chest, upperChest, neck, head",
        "@Shoulder, @UpperArm, @LowerArm, @Hand",
        "@UpperLeg, @LowerLeg, @Foot, @Toes",
    ),
    "VRoid": Rig(
        CAPITAL,
        "Root > J_Bip_C_Hips > J_Bip_C_Spine > J_Bip_C_Chest > J_Bip_C_UpperChest > J_Bip_C_Neck"
        " > J_Bip_C_Head > J_Adj_@_FaceEye; J_Bip_C_Head > J_Sec_Hair1_01 > J_Sec_Hair2_01;"
        "J_Bip_C_UpperChest > J_Bip_@_Shoulder > J_Bip_@_UpperArm > J_Bip_@_LowerArm"
        " > J_Bip_@_Hand > J_Bip_@_Index1; J_Bip_C_UpperChest > J_Sec_@_Bust1 > J_Sec_@_Bust2;"
        "J_Bip_C_Hips > J_Bip_@_UpperLeg > J_Bip_@_LowerLeg > J_Bip_@_Foot > J_Bip_@_ToeBase;"
        "J_Bip_@_UpperLeg > J_Sec_@_CoatSkirtBack_01",
        "J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck,"
        " J_Bip_C_Head",
        "J_Bip_@_Shoulder, J_Bip_@_UpperArm, J_Bip_@_LowerArm, J_Bip_@_Hand",
        "J_Bip_@_UpperLeg, J_Bip_@_LowerLeg, J_Bip_@_Foot, J_Bip_@_ToeBase",
    ),
    # Rigify's neck and head are deformed by joints that are named after the spine.
    "Rigify": Rig(
        CAPITAL,
        "root > DEF-spine > DEF-spine.001 > DEF-spine.002 > DEF-spine.003 > DEF-spine.004"
        " > DEF-spine.005 > DEF-spine.006; DEF-spine > DEF-pelvis.@; DEF-spine.003 > DEF-breast.@;"
        "DEF-spine.003 > DEF-shoulder.@ > DEF-upper_arm.@ > DEF-upper_arm.@.001 > DEF-forearm.@"
        " > DEF-forearm.@.001 > DEF-hand.@ > DEF-f_index.01.@; DEF-hand.@ > DEF-palm.01.@;"
        "DEF-spine > DEF-thigh.@ > DEF-thigh.@.001 > DEF-shin.@ > DEF-shin.@.001 > DEF-foot.@"
        " > DEF-toe.@; root > MCH-foot_ik.parent.@; root > MCH-thigh_ik_target.@",
        "DEF-spine, DEF-spine.001, DEF-spine.002, DEF-spine.003, DEF-spine.004, DEF-spine.006",
        "DEF-shoulder.@, DEF-upper_arm.@, DEF-forearm.@, DEF-hand.@",
        "DEF-thigh.@, DEF-shin.@, DEF-foot.@, DEF-toe.@",
    ),
    "Rigify metarig": Rig(
        CAPITAL,
        "spine > spine.001 > spine.002 > spine.003 > spine.004 > spine.005 > spine.006 > face;"
        "spine > pelvis.@; spine.003 > shoulder.@ > upper_arm.@ > forearm.@ > hand.@ > palm.01.@;"
        "spine > thigh.@ > shin.@ > foot.@ > toe.@; foot.@ > heel.02.@",
        "spine, spine.001, spine.002, spine.003, spine.004, spine.006",
        "shoulder.@, upper_arm.@, forearm.@, hand.@",
        "thigh.@, shin.@, foot.@, toe.@",
    ),
    "Blender, by hand": Rig(
        CAPITAL,
        "Hips > Spine > Chest > Neck > Head; Chest > Shoulder.@ > UpperArm.@ > LowerArm.@ > Hand.@;"
        "Hips > UpperLeg.@ > LowerLeg.@ > Foot.@",
        "Hips, Spine, Chest, Chest, Neck, Head",
        "Shoulder.@, UpperArm.@, LowerArm.@, Hand.@",
        "UpperLeg.@, LowerLeg.@, Foot.@, -",
    ),
    "3ds Max Biped": Rig(
        CAPITAL,
        "Bip01 > Bip01 Footsteps; Bip01 > Bip01 Pelvis > Bip01 Spine > Bip01 Spine1 > Bip01 Spine2"
        " > Bip01 Neck > Bip01 Head > Bip01 HeadNub; Bip01 Neck > Bip01 @ Clavicle"
        " > Bip01 @ UpperArm > Bip01 @ Forearm > Bip01 @ Hand > Bip01 @ Finger0"
        " > Bip01 @ Finger0Nub; Bip01 @ Forearm > Bip01 @ ForeTwist; Bip01 Pelvis > Bip01 @ Thigh"
        " > Bip01 @ Calf > Bip01 @ Foot > Bip01 @ Toe0 > Bip01 @ Toe0Nub",
        "Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Spine2, Bip01 Neck, Bip01 Head",
        "Bip01 @ Clavicle, Bip01 @ UpperArm, Bip01 @ Forearm, Bip01 @ Hand",
        "Bip01 @ Thigh, Bip01 @ Calf, Bip01 @ Foot, Bip01 @ Toe0",
    ),
    # Older Biped files hang the thighs on the first spine joint: there legs and trunk part.
    "3ds Max Biped, older": Rig(
        CAPITAL,
        "Bip001 > Bip001 Pelvis > Bip001 Spine > Bip001 Spine1 > Bip001 Neck > Bip001 Head;"
        "Bip001 Neck > Bip001 @ Clavicle > Bip001 @ UpperArm > Bip001 @ Forearm > Bip001 @ Hand;"
        "Bip001 Spine > Bip001 @ Thigh > Bip001 @ Calf > Bip001 @ Foot > Bip001 @ Toe0",
        "Bip001 Spine, Bip001 Spine1, Bip001 Spine1, Bip001 Spine1, Bip001 Neck, Bip001 Head",
        "Bip001 @ Clavicle, Bip001 @ UpperArm, Bip001 @ Forearm, Bip001 @ Hand",
        "Bip001 @ Thigh, Bip001 @ Calf, Bip001 @ Foot, Bip001 @ Toe0",
    ),
    "Valve": Rig(
        CAPITAL,
        "ValveBiped.Bip01_Pelvis > ValveBiped.Bip01_Spine > ValveBiped.Bip01_Spine1"
        " > ValveBiped.Bip01_Spine2 > ValveBiped.Bip01_Spine4 > ValveBiped.Bip01_Neck1"
        " > ValveBiped.Bip01_Head1 > ValveBiped.forward; ValveBiped.Bip01_Spine4"
        " > ValveBiped.Bip01_@_Clavicle > ValveBiped.Bip01_@_UpperArm > ValveBiped.Bip01_@_Forearm"
        " > ValveBiped.Bip01_@_Hand > ValveBiped.Anim_Attachment_@H; ValveBiped.Bip01_Pelvis"
        " > ValveBiped.Bip01_@_Thigh > ValveBiped.Bip01_@_Calf > ValveBiped.Bip01_@_Foot"
        " > ValveBiped.Bip01_@_Toe0",
        "ValveBiped.Bip01_Pelvis, ValveBiped.Bip01_Spine, ValveBiped.Bip01_Spine2,"
        " ValveBiped.Bip01_Spine4, ValveBiped.Bip01_Neck1, ValveBiped.Bip01_Head1",
        "ValveBiped.Bip01_@_Clavicle, ValveBiped.Bip01_@_UpperArm, ValveBiped.Bip01_@_Forearm,"
        " ValveBiped.Bip01_@_Hand",
        "ValveBiped.Bip01_@_Thigh, ValveBiped.Bip01_@_Calf, ValveBiped.Bip01_@_Foot,"
        " ValveBiped.Bip01_@_Toe0",
    ),
    "Perception Neuron": Rig(
        WORD,
        "Hips > @UpLeg > @Leg > @Foot; Hips > Spine > Spine1 > Spine2 > Spine3 > Neck > Head;"
        "Spine3 > @Shoulder > @Arm > @ForeArm > @Hand > @HandThumb1 > @HandThumb2;"
        "@Hand > @InHandIndex > @HandIndex1",
        "Hips, Spine, Spine2, Spine3, Neck, Head",
        "@Shoulder, @Arm, @ForeArm, @Hand",
        "@UpLeg, @Leg, @Foot, -",
    ),
    "Bandai-Namco": Rig(
        CAPITAL,
        "joint_Root > Hips > Spine > Chest > Neck > Head; Chest > Shoulder_@ > UpperArm_@"
        " > LowerArm_@ > Hand_@; Hips > UpperLeg_@ > LowerLeg_@ > Foot_@ > Toes_@",
        "Hips, Spine, Chest, Chest, Neck, Head",
        "Shoulder_@, UpperArm_@, LowerArm_@, Hand_@",
        "UpperLeg_@, LowerLeg_@, Foot_@, Toes_@",
    ),
    "LAFAN1": Rig(
        WORD,
        "Hips > @UpLeg > @Leg > @Foot > @Toe; Hips > Spine > Spine1 > Spine2 > Neck > Head;"
        "Spine2 > @Shoulder > @Arm > @ForeArm > @Hand",
        "Hips, Spine, Spine1, Spine2, Neck, Head",
        "@Shoulder, @Arm, @ForeArm, @Hand",
        "@UpLeg, @Leg, @Foot, @Toe",
    ),
    # The trunk and the legs part at the root; what is named hips carries the legs alone.
    "MakeHuman BVH": Rig(
        CAPITAL,
        "Root > Spine1 > Spine2 > Spine3 > Neck > Head > __Jaw > Jaw; Head > __Eye_@ > Eye_@;"
        "Spine3 > __Clavicle_@ > Clavicle_@ > UpArm_@ > LoArm_@ > Hand_@ > __Index1_@ > Index1_@;"
        "Root > Hips > __UpLeg_@ > UpLeg_@ > LoLeg_@ > Foot_@ > Toe_@",
        "Root, Spine1, Spine2, Spine3, Neck, Head",
        "Clavicle_@, UpArm_@, LoArm_@, Hand_@",
        "UpLeg_@, LoLeg_@, Foot_@, Toe_@",
    ),
    "MakeHuman": Rig(
        CAPITAL,
        "root > pelvis.@ > upperleg01.@ > upperleg02.@ > lowerleg01.@ > lowerleg02.@ > foot.@"
        " > toe1-1.@ > toe1-2.@; foot.@ > toe2-1.@; root > spine05 > spine04 > spine03 > spine02"
        " > spine01 > neck01 > neck02 > neck03 > head > jaw; head > eye.@; spine02 > breast.@;"
        "spine01 > clavicle.@ > shoulder01.@ > upperarm01.@ > upperarm02.@ > lowerarm01.@"
        " > lowerarm02.@ > wrist.@ > finger1-1.@; wrist.@ > metacarpal1.@",
        "root, spine05, spine03, spine01, neck01, head",
        "clavicle.@, upperarm01.@, lowerarm01.@, wrist.@",
        "upperleg01.@, lowerleg01.@, foot.@, toe1-1.@",
    ),
    "Poser, Second Life BVH": Rig(
        SMALL,
        "hip > abdomen > chest > neck > head > figureHair; chest > @Collar > @Shldr > @ForeArm"
        " > @Hand; hip > @Buttock > @Thigh > @Shin > @Foot > @Toe",
        "hip, abdomen, chest, chest, neck, head",
        "@Collar, @Shldr, @ForeArm, @Hand",
        "@Thigh, @Shin, @Foot, @Toe",
    ),
    "Daz-friendly BVH of the CMU": Rig(
        SMALL,
        "hip > abdomen > chest > neck > head > leftEye; head > rightEye; chest > @Collar"
        " > @Shoulder > @Elbow > @Hand > @Thumb1; hip > @Buttock > @Hip > @Knee > @Foot",
        "hip, abdomen, chest, chest, neck, head",
        "@Collar, @Shoulder, @Elbow, @Hand",
        "@Hip, @Knee, @Foot, -",
    ),
    "Second Life": Rig(
        WORD,
        "mPelvis > mTorso > mChest > mNeck > mHead > mSkull; mHead > mEye@; mChest > mCollar@"
        " > mShoulder@ > mElbow@ > mWrist@ > mHandIndex1@; mPelvis > mHip@ > mKnee@ > mAnkle@"
        " > mFoot@ > mToe@; mPelvis > mTail1 > mTail2; mPelvis > mHindLimbsRoot",
        "mPelvis, mTorso, mChest, mChest, mNeck, mHead",
        "mCollar@, mShoulder@, mElbow@, mWrist@",
        "mHip@, mKnee@, mAnkle@, mToe@",
    ),
    "DAZ Genesis 8": Rig(
        SMALL,
        "hip > pelvis > @ThighBend > @ThighTwist > @Shin > @Foot > @Metatarsals > @Toe"
        " > @BigToe > @BigToe_2; @Foot > @Heel; hip > abdomenLower > abdomenUpper > chestLower"
        " > chestUpper > neckLower > neckUpper > head > upperFaceRig; chestLower > @Pectoral;"
        "chestUpper > @Collar > @ShldrBend > @ShldrTwist > @ForearmBend > @ForearmTwist > @Hand"
        " > @Thumb1; @Hand > @Carpal1 > @Index1",
        "hip, abdomenLower, chestLower, chestUpper, neckLower, head",
        "@Collar, @ShldrBend, @ForearmBend, @Hand",
        "@ThighBend, @Shin, @Foot, @Toe",
    ),
    "DAZ Genesis 9": Rig(
        SMALL,
        "hip > pelvis > @_thigh > @_shin > @_foot > @_metatarsal > @_toes > @_bigtoe1;"
        "@_thigh > @_thightwist1; hip > spine1 > spine2 > spine3 > spine4 > neck1 > neck2 > head;"
        "spine4 > @_shoulder > @_upperarm > @_forearm > @_hand > @_index1",
        "hip, spine1, spine3, spine4, neck1, head",
        "@_shoulder, @_upperarm, @_forearm, @_hand",
        "@_thigh, @_shin, @_foot, @_toes",
    ),
    # Its neck is two joints that twist; they are no helpers, for they carry the head.
    "Character Creator": Rig(
        CAPITAL,
        "RL_BoneRoot > CC_Base_Hip > CC_Base_Pelvis > CC_Base_@_Thigh > CC_Base_@_Calf"
        " > CC_Base_@_Foot > CC_Base_@_ToeBaseShareBone; CC_Base_@_Foot > CC_Base_@_ToeBase"
        " > CC_Base_@_BigToe1; CC_Base_@_Thigh > CC_Base_@_ThighTwist01;"
        "CC_Base_@_Calf > CC_Base_@_KneeShareBone; CC_Base_Hip > CC_Base_Waist > CC_Base_Spine01"
        " > CC_Base_Spine02 > CC_Base_NeckTwist01 > CC_Base_NeckTwist02 > CC_Base_Head"
        " > CC_Base_FacialBone > CC_Base_JawRoot; CC_Base_Spine02 > CC_Base_@_Clavicle"
        " > CC_Base_@_Upperarm > CC_Base_@_Forearm > CC_Base_@_Hand > CC_Base_@_Mid1;"
        "CC_Base_Spine02 > CC_Base_@_RibsTwist > CC_Base_@_Breast;"
        "CC_Base_@_Upperarm > CC_Base_@_UpperarmTwist01",
        "CC_Base_Hip, CC_Base_Waist, CC_Base_Spine01, CC_Base_Spine02, CC_Base_NeckTwist01,"
        " CC_Base_Head",
        "CC_Base_@_Clavicle, CC_Base_@_Upperarm, CC_Base_@_Forearm, CC_Base_@_Hand",
        "CC_Base_@_Thigh, CC_Base_@_Calf, CC_Base_@_Foot, CC_Base_@_ToeBase",
    ),
    # The ankle is where the foot turns; what it calls the foot is the ball.
    "SMPL": Rig(
        CAPITAL,
        "Pelvis > @_Hip > @_Knee > @_Ankle > @_Foot; Pelvis > Spine1 > Spine2 > Spine3 > Neck"
        " > Head; Spine3 > @_Collar > @_Shoulder > @_Elbow > @_Wrist > @_Hand",
        "Pelvis, Spine1, Spine2, Spine3, Neck, Head",
        "@_Collar, @_Shoulder, @_Elbow, @_Wrist",
        "@_Hip, @_Knee, @_Ankle, @_Foot",
    ),
    "SMPL-X": Rig(
        ("left", "right"),
        "pelvis > @_hip > @_knee > @_ankle > @_foot; pelvis > spine1 > spine2 > spine3 > neck"
        " > head > jaw; head > @_eye_smplhf; spine3 > @_collar > @_shoulder > @_elbow > @_wrist"
        " > @_index1 > @_index2",
        "pelvis, spine1, spine2, spine3, neck, head",
        "@_collar, @_shoulder, @_elbow, @_wrist",
        "@_hip, @_knee, @_ankle, @_foot",
    ),
    "OptiTrack": Rig(
        CAPITAL,
        "Skeleton1 > Skeleton1_Hip > Skeleton1_Ab > Skeleton1_Chest > Skeleton1_Neck"
        " > Skeleton1_Head; Skeleton1_Chest > Skeleton1_@Shoulder > Skeleton1_@UArm"
        " > Skeleton1_@FArm > Skeleton1_@Hand; Skeleton1_Hip > Skeleton1_@Thigh"
        " > Skeleton1_@Shin > Skeleton1_@Foot > Skeleton1_@Toe",
        "Skeleton1_Hip, Skeleton1_Ab, Skeleton1_Chest, Skeleton1_Chest, Skeleton1_Neck,"
        " Skeleton1_Head",
        "Skeleton1_@Shoulder, Skeleton1_@UArm, Skeleton1_@FArm, Skeleton1_@Hand",
        "Skeleton1_@Thigh, Skeleton1_@Shin, Skeleton1_@Foot, Skeleton1_@Toe",
    ),
    "Advanced Skeleton": Rig(
        CAPITAL,
        "Root_M > Hip_@ > HipPart1_@; Hip_@ > Knee_@ > Ankle_@ > Toes_@ > ToesEnd_@;"
        "Root_M > RootPart1_M > Spine1_M > Chest_M > Neck_M > Head_M > HeadEnd_M;"
        "Chest_M > Scapula_@ > Shoulder_@ > Elbow_@ > Wrist_@ > IndexFinger1_@",
        "Root_M, Spine1_M, Chest_M, Chest_M, Neck_M, Head_M",
        "Scapula_@, Shoulder_@, Elbow_@, Wrist_@",
        "Hip_@, Knee_@, Ankle_@, Toes_@",
    ),
    "Synty": Rig(
        CAPITAL,
        "Root > Hips > Spine_01 > Spine_02 > Spine_03 > Neck > Head > Eyes; Spine_03 > Clavicle_@"
        " > Shoulder_@ > Elbow_@ > Hand_@ > Thumb_01; Hips > UpperLeg_@ > LowerLeg_@ > Ankle_@"
        " > Ball_@ > Toes_@",
        "Hips, Spine_01, Spine_02, Spine_03, Neck, Head",
        "Clavicle_@, Shoulder_@, Elbow_@, Hand_@",
        "UpperLeg_@, LowerLeg_@, Ankle_@, Ball_@",
    ),
    "Kinect": Rig(
        WORD,
        "SpineBase > SpineMid > SpineShoulder > Neck > Head; SpineShoulder > Shoulder@ > Elbow@"
        " > Wrist@ > Hand@ > HandTip@; SpineBase > Hip@ > Knee@ > Ankle@ > Foot@",
        "SpineBase, SpineMid, SpineShoulder, SpineShoulder, Neck, Head",
        "-, Shoulder@, Elbow@, Wrist@",
        "Hip@, Knee@, Ankle@, Foot@",
    ),
    "the glTF samples' figure": Rig(
        CAPITAL,
        "torso_joint_1 > torso_joint_2 > torso_joint_3 > neck_joint_1 > neck_joint_2;"
        "torso_joint_3 > arm_joint_@_1 > arm_joint_@_2 > arm_joint_@_3;"
        "torso_joint_1 > leg_joint_@_1 > leg_joint_@_2 > leg_joint_@_3 > leg_joint_@_5",
        "torso_joint_1, torso_joint_2, torso_joint_3, torso_joint_3, neck_joint_1, neck_joint_2",
        "-, arm_joint_@_1, arm_joint_@_2, arm_joint_@_3",
        "leg_joint_@_1, leg_joint_@_2, leg_joint_@_3, leg_joint_@_5",
    ),
    # Its legs begin with a leg and go on with a knee.
    "MikuMikuDance": Rig(
        ("左", "右"),
        "全ての親 > センター > グルーブ > 腰 > 上半身 > 上半身2 > 首 > 頭 > @目;"
        "上半身2 > @肩P > @肩 > @肩C > @腕 > @腕捩 > @ひじ > @手捩 > @手首 > @親指0;"
        "腰 > 下半身 > @足 > @ひざ > @足首"
        " > @つま先; 下半身 > @足D > @ひざD > @足首D > @足先EX; 全ての親 > @足IK親 > @足ＩＫ"
        " > @つま先ＩＫ",
        "腰, 上半身, 上半身2, 上半身2, 首, 頭",
        "@肩, @腕, @ひじ, @手首",
        "@足, @ひざ, @足首, @つま先",
    ),
    "MikuMikuDance in English": Rig(
        CAPITAL,
        "center > groove > waist > upper body > upper body2 > neck > head > eye_@; upper body2"
        " > shoulder_@ > arm_@ > arm twist_@ > elbow_@ > wrist twist_@ > wrist_@ > thumb0_@;"
        "waist > lower body > leg_@ > knee_@ > ankle_@ > toe_@; center > leg IK_@",
        "waist, upper body, upper body2, upper body2, neck, head",
        "shoulder_@, arm_@, elbow_@, wrist_@",
        "leg_@, knee_@, ankle_@, toe_@",
    ),
}


@pytest.mark.parametrize("maker", RIGS)
def test_the_names_of_every_maker_tell_the_roles(maker: str) -> None:
    rig = RIGS[maker]
    body = find_body(rig.motion())
    assert found(body) == rig.roles()
    assert set(body.confidence.values()) == {0.95}
    assert body.is_biped
    assert not any(limb.linked for limb in body.limbs.values())


def test_a_biped_s_helpers_and_controls_take_no_role() -> None:
    rig = RIGS["Unreal"]
    extra = ["foot_ik_l", "thigh_pole_l", "hand_ctrl_l", "foot_roll_l", "ball_end_l"]
    motion = rig.motion()
    names = [*extra, *motion.skeleton.names]
    parents = [-1] * len(extra) + [int(p) + len(extra) if p >= 0 else 0 for p in _parents(motion)]
    points = np.zeros((len(names), 3))
    assert found(find_body(posed(names, parents, points))) == rig.roles()


def _parents(motion: Motion) -> list[int]:
    return [int(p) for p in motion.skeleton.parents]


def test_feet_parented_to_the_root_are_linked_to_their_legs() -> None:
    """As artists rig for inverse kinematics in Blender: the shin ends in no foot."""
    rig = Rig(
        CAPITAL,
        "Bone > Foot.@; Bone > PoleTarget.@; Bone > Body > Hips > Abdomen > Torso > Neck > Head;"
        "Torso > Shoulder.@ > UpperArm.@ > LowerArm.@ > Palm2.@ > Middle1.@; LowerArm.@ > Thumb.@;"
        "LowerArm.@ > Palm1.@ > Index.@; Body > UpperLeg.@ > LowerLeg.@",
        "Body, Abdomen, Torso, Torso, Neck, Head",
        "Shoulder.@, UpperArm.@, LowerArm.@, Palm2.@",
        "UpperLeg.@, LowerLeg.@, Foot.@, -",
    )
    body = find_body(rig.motion())
    assert found(body) == rig.roles()
    assert {n for n, limb in body.limbs.items() if limb.linked} == {"left_leg", "right_leg"}
    assert len(body.limbs) == 4
    foot, shin = body.roles["left_foot"], body.roles["left_lower_leg"]
    assert body.parent(foot) == shin
    assert body.parent(shin) == body.roles["left_upper_leg"]


# ---- by shape alone


@dataclass(frozen=True)
class Figure:
    """A human whose joints' names say nothing, in a pose."""

    up: UpAxis = "Y"
    arms_down: float = 0.0  # degrees below the horizontal
    facing: float = 0.0  # degrees to the left of +Z
    fingers: bool = False
    connectors: bool = False
    toes: bool = True
    extras: tuple[str, ...] = ()
    right_first: bool = False
    long_collars: bool = False  # from the spine itself, longer than the forearms, as CMU's are
    knee: float = 0.0  # degrees that the left knee is bent

    def build(self) -> tuple[Motion, dict[str, str]]:
        """The motion, and the role of each of its joints by what it was built from."""
        points: dict[str, tuple[str | None, np.ndarray]] = {}
        for above, part in zip((None, *MIDDLE[:-1]), MIDDLE, strict=True):
            points[part] = (above, np.array(POSE[part]))
        sides = ("right", "left") if self.right_first else ("left", "right")
        for side in sides:
            mirror = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
            above = "hips"
            if self.connectors:
                points[f"{side}_connector"] = (above, np.array([0.05, 0.98, 0.0]) * mirror)
                above = f"{side}_connector"
            for part in LEG[: 4 if self.toes else 3]:
                place = np.array(POSE[part])
                if side == "left" and part in ("foot", "toe"):
                    knee = np.array(POSE["lower_leg"])
                    place = knee + _turn_about_x(place - knee, self.knee)
                points[f"{side}_{part}"] = (above, place * mirror)
                above = f"{side}_{part}"
            above, shoulder = "upper_chest", np.array(POSE["upper_arm"])
            down = np.deg2rad(self.arms_down)
            turn = np.array([np.cos(down), -np.sin(down), 0.0])
            for part in ARM:
                place = np.array(POSE[part])
                if self.long_collars:
                    place[0] -= {"shoulder": place[0], "hand": 0.1}.get(part, 0.0)
                if part in ("lower_arm", "hand"):
                    place = shoulder + (place[0] - shoulder[0]) * turn
                points[f"{side}_{part}"] = (above, place * mirror)
                above = f"{side}_{part}"
            for finger in range(5 if self.fingers else 1):
                above, beside = f"{side}_hand", 0.02 * (finger - 2) if self.fingers else 0.0
                for bone, along in enumerate((0.09, 0.13, 0.15)):
                    place = shoulder + (0.53 + along) * turn + [0.0, 0.0, beside]
                    points[f"{side}_finger{finger}{bone}"] = (above, place * mirror)
                    above = f"{side}_finger{finger}{bone}"
        for extra in self.extras:
            self._add(points, extra)
        names = list(points)
        around = np.deg2rad(self.facing)
        c, s = np.cos(around), np.sin(around)
        turned = np.array([p for _, p in points.values()]) @ [[c, 0, -s], [0, 1, 0], [s, 0, c]]
        parents = [-1 if a is None else names.index(a) for a, _ in points.values()]
        bones = [f"Bone.{k:03d}" for k in range(len(names))]
        crown = [(names.index("head"), (0.0, 0.18, 0.0))]
        motion = posed(bones, parents, turned, crown, up=self.up)
        return motion, dict(zip(bones, names, strict=True))

    @staticmethod
    def _add(points: dict[str, tuple[str | None, np.ndarray]], extra: str) -> None:
        """Hang a chain of four joints somewhere: from a joint, to a place."""
        starts = {
            "hair": ("head", [0.0, 1.7, -0.1], [0.0, 1.0, -0.15]),
            "tail": ("hips", [0.0, 0.95, -0.1], [0.0, 0.3, -0.6]),
            "sword": ("right_hand", [-0.75, 1.4, 0.1], [-0.75, 1.4, 1.2]),
            "left skirt": ("hips", [0.15, 0.9, 0.0], [0.2, 0.45, 0.0]),
            "right skirt": ("hips", [-0.15, 0.9, 0.0], [-0.2, 0.45, 0.0]),
        }
        above, start, end = starts[extra]
        for k in range(4):
            place = np.array(start) + (np.array(end) - start) * k / 3
            points[f"{extra} {k}"] = (above, place)
            above = f"{extra} {k}"


def _turn_about_x(vector: np.ndarray, degrees: float) -> np.ndarray:
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    out: np.ndarray = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ vector
    return out


LIMB_ROLES = [
    f"{side}_{part}"
    for side in ("left", "right")
    for part in (*LEG[:3], "upper_arm", "lower_arm", "hand")
]
FIGURES: dict[str, Figure] = {
    "T-pose": Figure(),
    "Z up": Figure(up="Z"),
    "A-pose": Figure(arms_down=45.0),
    "arms hanging": Figure(arms_down=85.0),
    "Z up, A-pose": Figure(up="Z", arms_down=45.0),
    "fingers": Figure(fingers=True),
    "fingers, arms hanging": Figure(fingers=True, arms_down=80.0),
    "hip connectors": Figure(connectors=True),
    "long collar bones": Figure(long_collars=True),
    "long collar bones, right side first": Figure(long_collars=True, right_first=True),
    "right side first": Figure(right_first=True),
    "seen from behind": Figure(facing=180.0),
    "turned, right side first": Figure(facing=100.0, right_first=True),
    "Z up, turned": Figure(up="Z", facing=-130.0),
    "no toes": Figure(toes=False),
    "a foot lifted": Figure(knee=70.0),
    "hair": Figure(extras=("hair",)),
    "tail": Figure(extras=("tail",)),
    "sword": Figure(extras=("sword",)),
    "skirt": Figure(extras=("left skirt", "right skirt")),
    "everything": Figure(
        up="Z",
        arms_down=40.0,
        facing=70.0,
        fingers=True,
        connectors=True,
        extras=("hair", "tail", "left skirt", "right skirt"),
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_names_is_known_by_its_shape(name: str) -> None:
    motion, meant = FIGURES[name].build()
    body = find_body(motion)
    roles = {role: meant[joint] for role, joint in found(body).items()}
    wanted = {r: r for r in (*LIMB_ROLES, "hips", "spine", "upper_chest", "neck", "head")}
    if FIGURES[name].toes:
        wanted |= {r: r for r in ("left_toe", "right_toe")}
    assert {r: roles.get(r) for r in wanted} == wanted
    assert max(body.confidence.values()) <= 0.6


def test_end_sites_stand_for_toes_and_heads() -> None:
    """A file of joints alone ends in sites: they tell the front, and so left from right."""
    motion, meant = Figure(toes=False, facing=180.0).build()
    skeleton = motion.skeleton
    feet = [skeleton.index(bone) for bone, role in meant.items() if role.endswith("_foot")]
    sites = tuple(EndSite(j, (0.0, -0.06, -0.14)) for j in feet)
    ended = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets, end_sites=sites)
    body = find_body(Motion(ended, motion.rotations, motion.translations))
    assert {r: meant[j] for r, j in found(body).items() if r in LIMB_ROLES} == {
        r: r for r in LIMB_ROLES
    }


def _quadruped() -> Motion:
    """A dog: four legs of equal length under a level trunk, a tail, a head before."""
    names, parents, points = ["b0", "b1", "b2", "b3"], [-1, 0, 1, 2], []
    points = [(0.0, 0.6, -0.3), (0.0, 0.62, 0.0), (0.0, 0.6, 0.3), (0.0, 0.75, 0.45)]
    for hip, z in ((0, -0.3), (2, 0.3)):
        for x in (0.1, -0.1):
            above = hip
            for y, dz in ((0.55, 0.0), (0.35, 0.05), (0.1, 0.0), (0.0, 0.06)):
                names.append(f"b{len(names)}")
                parents.append(above)
                points.append((x, y, z + dz))
                above = len(names) - 1
    return posed(names, parents, points)


THREE = [(0.0, 1.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.1)]


@pytest.mark.parametrize(
    "motion",
    [
        _quadruped(),
        posed(["a", "b", "c"], [-1, 0, 1], THREE),
        posed(["a", "b", "c"], [-1, 0, 0], THREE),
        posed(["a"], [-1], THREE[:1]),
        posed(["a", "b", "c"], [-1, -1, -1], THREE),
        posed(["a", "b", "c"], [-1, 0, 1], np.zeros((3, 3))),
        posed([f"b{k}" for k in range(40)], [-1, *range(39)], np.zeros((40, 3))),
        posed(["Bip01", "1", "__", "左", "L", ".", " "], [-1, *range(6)], np.zeros((7, 3))),
    ],
    ids=["quadruped", "chain", "fork", "one", "roots", "no length", "rope", "odd names"],
)
def test_what_is_no_human_is_never_claimed_with_confidence(motion: Motion) -> None:
    body = find_body(motion)
    assert max(body.confidence.values(), default=0.0) <= 0.6
    assert set(body.roles) <= set(ROLES)
    assert np.isfinite(body.mass_weights).all()
    assert body.mass_weights.sum() == pytest.approx(1.0)
    assert np.isfinite(body.centre_of_mass(motion)).all()
    assert np.isfinite(body.height)
    assert body.ground_joints() == tuple(dict.fromkeys(body.ground_joints()))


def test_parts_of_a_body_keep_their_names() -> None:
    """A lower body, a hand or one leg: what is there is found, what is not is not made up."""
    leg = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"]
    body = find_body(posed(leg, [-1, 0, 1, 2, 3], np.eye(5, 3)))
    assert set(found(body).values()) == set(leg)
    assert list(body.limbs) == ["left_leg"]
    assert not body.is_biped
    hand = ["hand_r", "index_01_r", "index_02_r", "thumb_01_r"]
    assert set(found(find_body(posed(hand, [-1, 0, 1, 0], np.eye(4, 3)))).values()) <= {"hand_r"}
    still = ["Camera", "Light", "Cube.001"]
    assert found(find_body(posed(still, [-1, 0, 1], np.eye(3)))) == {}


def test_a_body_is_as_tall_whichever_axis_is_up() -> None:
    heights = [find_body(Figure(up=up).build()[0]).height for up in ("Y", "Z")]
    assert heights[0] == pytest.approx(heights[1])


def test_legs_that_hang_on_no_common_joint_have_a_mass() -> None:
    """Files of several roots may hold two legs and a head that meet nowhere."""
    names = ["LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Head"]
    motion = posed(names, [-1, 0, 1, -1, 3, 4, -1], np.eye(7, 3))
    body = find_body(motion)
    assert body.mass_weights.sum() == pytest.approx(1.0)
    assert body.height >= 0.0


def test_a_fully_bent_elbow_that_is_exaggerated_stays_bent() -> None:
    walk = samples.walk()
    j = find_body(walk).limbs["left_arm"].lower
    vectors = quat.log(walk.rotations[:, j])
    axis = vectors[np.linalg.norm(vectors, axis=1).argmax()]
    axis = axis / np.linalg.norm(axis)
    bends = np.radians(np.linspace(60, 145, len(walk)))

    def bent(by: float) -> Motion:
        rotations = walk.rotations.copy()
        rotations[:, j] = quat.exp(by * bends[:, None] * axis)
        return replace(walk, rotations=rotations)

    made = within_hinges(bent(1.0), bent(1.4))  # up to 203 degrees
    angle = 2 * np.arccos(np.abs(made.rotations[:, j, 0]))
    assert np.degrees(angle.max()) == pytest.approx(150, abs=0.1)
    assert np.diff(angle).min() > -1e-9


def test_a_misspelt_joint_is_not_looked_for_on_the_other_side() -> None:
    body = find_body(samples.walk())
    for name in ("wrist.L", "LeftWrist", "left_wrist", "wrist_l"):
        with pytest.raises(InputError, match="no joint or role") as raised:
            body.find_joints([name])
        assert "right" not in str(raised.value).lower(), name
    with pytest.raises(InputError, match="did you mean 'RightHand'"):
        body.find_joints(["RightHnad"])


def test_the_case_of_a_joint_may_differ_if_one_joint_is_meant() -> None:
    walk = samples.walk()
    assert find_body(walk).find_joints(["lefthand"]) == ("LeftHand",)
    names = tuple("LEFTHAND" if n == "RightHand" else n for n in walk.skeleton.names)
    skeleton = replace(walk.skeleton, names=names)
    with pytest.raises(InputError, match="no joint or role 'lefthand'"):
        find_body(replace(walk, skeleton=skeleton)).find_joints(["lefthand"])
