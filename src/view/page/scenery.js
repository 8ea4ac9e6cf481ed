// Lines around the bodies: grid, axes, box, ghost boxes, orbits. In camera units: relative to its
// target, in its distance.
import {LineList} from "./draw_lines.js";
import {roundUp} from "./units.js";
import {cross, scale, sub} from "./vector.js";

const GRID = [0.55, 0.65, 0.85];
const BOX = [0.6, 0.72, 0.95];
const AXES = [[0.95, 0.45, 0.45], [0.5, 0.85, 0.5], [0.45, 0.62, 1.0]];
const ORBIT = [0.62, 0.76, 1.0];

// A grid in the plane z = 0 about the target, fading outwards, with a tenth as fine when near.
function addGrid(list, camera, local) {
    const step = roundUp(0.18 * camera.distance), reach = 24;
    const [cx, cy] = camera.target.map(x => Math.round(x / step));
    const fade = r => Math.max(0, 1 - (r / reach) ** 2) ** 2;
    for (let i = -reach; i <= reach; i++) {
        for (let j = -reach; j < reach; j += 3) {
            const near = fade(Math.hypot(i, j)), next = fade(Math.hypot(i, j + 3));
            if (near + next === 0)
                continue;
            const major = k => (k % 5 === 0 ? 0.2 : 0.09);
            const shade = (k, f) => [...GRID, major(k) * f];
            list.line(local([(cx + i) * step, (cy + j) * step, 0]),
                      local([(cx + i) * step, (cy + j + 3) * step, 0]),
                      shade(cx + i, near), shade(cx + i, next));
            list.line(local([(cx + j) * step, (cy + i) * step, 0]),
                      local([(cx + j + 3) * step, (cy + i) * step, 0]),
                      shade(cy + i, near), shade(cy + i, next));
        }
    }
}

export const axisLength = camera => roundUp(0.5 * camera.extent);

function addAxes(list, camera, local) {
    AXES.forEach((colour, k) => {
        const tip = [0, 0, 0];
        tip[k] = axisLength(camera);
        list.line(local([0, 0, 0]), local(tip), [...colour, 0.85]);
    });
}

function addBox(list, low, high, shift, alpha, local) {
    const corner = bits => local([0, 1, 2].map(k => (bits >> k & 1 ? high[k] : low[k]) + shift[k]));
    for (let bits = 0; bits < 8; bits++)
        for (let k = 0; k < 3; k++)
            if (!(bits >> k & 1))
                list.line(corner(bits), corner(bits | 1 << k), [...BOX, alpha]);
}

// Where the images of the box are: its own place first.
export function imageShifts(boundary, image, ghosts) {
    const size = boundary?.box;
    if (!size || !ghosts)
        return [[0, 0, 0]];
    const [gx, gy, gz] = boundary.ghosts.map((g, k) => Math.min(g || (k < 2 ? 1 : 0), 2));
    const shifts = [];
    for (let i = -gx; i <= gx; i++)
        for (let j = -gy; j <= gy; j++)
            for (let k = -gz; k <= gz; k++)
                shifts.push([i * image[0], i * image[1] + j * size[1], k * size[2]]);
    return shifts.sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
}

// An ellipse: centre at a focus, axis vectors along and across, by even eccentric anomalies.
function addOrbit(list, orbit, local) {
    const {focus, eccentricity: e, axis, normal, periapsis} = orbit;
    const along = scale(periapsis, axis);
    const across = scale(cross(normal, periapsis), axis * Math.sqrt(1 - e * e));
    const n = 128;
    const place = i => {
        const c = Math.cos(2 * Math.PI * i / n) - e, s = Math.sin(2 * Math.PI * i / n);
        return local([0, 1, 2].map(k => focus[k] + c * along[k] + s * across[k]));
    };
    let from = place(0);
    for (let i = 1; i <= n; i++) {
        const to = place(i);
        list.line(from, to, [...ORBIT, 0.5]);
        from = to;
    }
}

export function buildScenery(camera, look, boundary, frame, orbits) {
    const list = new LineList();
    const local = point => scale(sub(point, camera.target), 1 / camera.distance);
    if (look.grid)
        addGrid(list, camera, local);
    if (look.box && boundary?.box) {
        const half = scale(boundary.box, 0.5);
        const shifts = imageShifts(boundary, frame.image, look.ghosts);
        shifts.forEach((shift, i) =>
            addBox(list, scale(half, -1), half, shift, i === 0 ? 0.45 : 0.14, local));
    }
    if (look.axes)
        addAxes(list, camera, local);
    if (look.orbits)
        orbits.forEach(orbit => addOrbit(list, orbit, local));
    return list;
}
