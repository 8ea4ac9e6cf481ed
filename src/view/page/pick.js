// Finds the body under the pointer, in the bytes of the newest frame.
import {ABSENT, radiusOf} from "./frame.js";

const REACH = 18; // CSS pixels around a point

// Index of the body at (x, y), or -1. Of spheres that cover the place the nearest to the eye
// counts, else the point nearest to it.
export function pickBody(frame, camera, mode, size, x, y) {
    const m = camera.matrix(), {bodies, low, cell, count} = frame, {target, distance} = camera;
    const [ox, oy, oz] = low.map((value, k) => (value - target[k]) / distance);
    const [sx, sy, sz] = cell.map(value => value / distance);
    const pixels = camera.height / (2 * camera.halfHeight);
    const grow = mode === "spheres" ? size : 0;
    let best = -1, nearest = REACH * REACH, front = Infinity;
    for (let i = 0, k = 0; i < count; i++, k += 4) {
        if (bodies[k] === ABSENT)
            continue;
        const px = ox + bodies[k] * sx, py = oy + bodies[k + 1] * sy, pz = oz + bodies[k + 2] * sz;
        const w = m[3] * px + m[7] * py + m[11] * pz + m[15];
        if (w <= 0)
            continue;
        const dx = 0.5 * (1 + (m[0] * px + m[4] * py + m[8] * pz + m[12]) / w) * camera.width - x;
        const dy = 0.5 * (1 - (m[1] * px + m[5] * py + m[9] * pz + m[13]) / w) * camera.height - y;
        const d2 = dx * dx + dy * dy;
        const radius = grow * radiusOf(frame, i) / distance / w * pixels;
        const depth = m[2] * px + m[6] * py + m[10] * pz + m[14];
        if (d2 <= radius * radius) {
            if (depth < front) {
                front = depth;
                best = i;
            }
        } else if (front === Infinity && d2 < nearest) {
            nearest = d2;
            best = i;
        }
    }
    return best;
}
