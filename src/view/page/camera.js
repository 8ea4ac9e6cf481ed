// A camera that circles a point. Everything is drawn relative to that point and in units of the
// distance to it, so that single precision is enough at every zoom.
import {add, dot, multiply, scale, sub, transform} from "./vector.js";

const FIELD = 40;
const NEAR = 0.02;
const DEGREE = Math.PI / 180;
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

export class Camera {
    target = [0, 0, 0];
    distance = 1;
    yaw = 0;          // degrees about z; with pitch 90: from above, x to the right
    pitch = 90;
    field = FIELD;    // degrees from top to bottom
    ortho = false;
    inverted = false; // seen from the other side
    width = 1;        // of the picture, in CSS pixels
    height = 1;
    extent = 1;       // half the size of what there is to see
    limits = [1e-6, 1e4];
    insets = {left: 0, right: 0, bottom: 0}; // what panels cover, in CSS pixels

    // Shows whole what reaches so far from the centre.
    fit({centre, radius}) {
        this.target = centre;
        this.extent = radius || 1;
        this.field = FIELD;
        this.inverted = false;
        const {left, right, bottom} = this.insets;
        const narrow = Math.min(this.height - bottom, this.width - left - right) / this.height;
        this.distance = 1.2 * this.extent / (this.halfHeight * Math.max(narrow, 0.2));
        this.limits = [1e-5 * this.distance, 50 * this.distance];
    }

    get halfHeight() { // of the picture at the target, over the distance
        return Math.tan(0.5 * this.field * DEGREE);
    }
    // Where the target is in the picture: in the middle of what panels leave free.
    get centre() {
        const {left, right, bottom} = this.insets;
        return [0.5 * (this.width + left - right), 0.5 * (this.height - bottom)];
    }
    get unitsPerPixel() {
        return 2 * this.halfHeight * this.distance / this.height;
    }

    // Right, up and back (from the target to the eye).
    axes() {
        const yaw = (this.yaw + (this.inverted ? 180 : 0)) * DEGREE;
        const pitch = this.pitch * (this.inverted ? -1 : 1) * DEGREE;
        const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
        return [[cy, sy, 0], [-sy * sp, cy * sp, cp], [sy * cp, -cy * cp, sp]];
    }

    // From places relative to the target, in distances, to where the eye sees them.
    view() {
        const [right, up, back] = this.axes();
        return new Float32Array([
            right[0], up[0], back[0], 0,
            right[1], up[1], back[1], 0,
            right[2], up[2], back[2], 0,
            0, 0, -1, 1,
        ]);
    }

    projection() {
        const f = 1 / this.halfHeight, aspect = this.width / this.height;
        const far = 2 + 4 * (this.extent + Math.hypot(...this.target)) / this.distance;
        const [cx, cy] = this.centre;
        const sx = 2 * cx / this.width - 1, sy = 1 - 2 * cy / this.height;
        if (this.ortho)
            return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -1 / far, 0,
                                     sx, sy, -1 / far, 1]);
        const depth = 1 / (NEAR - far);
        return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, -sx, -sy, (far + NEAR) * depth,
                                 -1, 0, 0, 2 * far * NEAR * depth, 0]);
    }

    matrix() {
        return multiply(this.projection(), this.view());
    }

    // Place in the picture, in CSS pixels, of a point; null behind the eye.
    project(point, matrix = this.matrix()) {
        const [x, y, , w] = transform(matrix, scale(sub(point, this.target), 1 / this.distance));
        return w <= 0 ? null : [0.5 * (1 + x / w) * this.width, 0.5 * (1 - y / w) * this.height];
    }

    rotate(dx, dy) {
        const sign = this.inverted ? -1 : 1;
        this.yaw = (this.yaw - dx) % 360;
        this.pitch = clamp(this.pitch + sign * dy, -90, 90);
    }

    // Moves the picture by pixels.
    pan(dx, dy) {
        const [right, up] = this.axes(), unit = this.unitsPerPixel;
        this.target = add(this.target, add(scale(right, -dx * unit), scale(up, dy * unit)));
    }

    // Comes nearer by a factor, while what is under (x, y) stays there.
    zoom(factor, x = this.centre[0], y = this.centre[1]) {
        const before = this.distance, [cx, cy] = this.centre;
        this.distance = clamp(this.distance / factor, ...this.limits);
        const moved = before / this.distance - 1;
        this.pan((cx - x) * moved, (cy - y) * moved);
    }

    resetField() { // keeps the size of things
        const half = this.halfHeight;
        this.field = FIELD;
        this.distance *= half / this.halfHeight;
    }

    changeField(factor) {
        this.field = clamp(this.field * factor, 2, 120);
    }

    // How far before the target a point is, in distances.
    depth(point) {
        return dot(scale(sub(point, this.target), 1 / this.distance), this.axes()[2]);
    }
}
