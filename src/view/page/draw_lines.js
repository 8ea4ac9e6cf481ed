// Lines of a width in pixels, one square a piece: WebGL's own lines have one pixel everywhere.
// A trail joins the same body in two frames, straight from the bytes of the two.
import {attribute, createProgram} from "./gl.js";

const EXPAND = `
uniform mat4 u_matrix;
uniform vec2 u_pixel; // of the picture, over its size
uniform float u_width;
vec4 expand(vec3 from, vec3 to) {
    vec4 a = u_matrix * vec4(from, 1.0), b = u_matrix * vec4(to, 1.0);
    // What is behind the eye has no place in the picture: the line is cut there.
    const float near = 0.01;
    if (a.w < near && b.w < near)
        return vec4(2.0, 2.0, 2.0, 1.0);
    if (a.w < near)
        a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near)
        b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 along = (b.xy / b.w - a.xy / a.w) / u_pixel;
    float size = length(along);
    vec2 across = size > 0.0 ? vec2(-along.y, along.x) / size : vec2(0.0, 1.0);
    vec4 end = (gl_VertexID & 1) == 0 ? a : b;
    float side = (gl_VertexID >> 1) == 0 ? -1.0 : 1.0;
    end.xy += side * u_width * across * u_pixel * end.w;
    return end;
}`;

const LINE_VERTEX = `
in vec3 a_from, a_to;
in vec4 a_colour_from, a_colour_to;
out vec4 v_colour;
${EXPAND}
void main() {
    gl_Position = expand(a_from, a_to);
    v_colour = (gl_VertexID & 1) == 0 ? a_colour_from : a_colour_to;
}`;

const TRAIL_VERTEX = `
in vec4 a_from, a_to;
in float a_colour;
uniform vec3 u_low_from, u_cell_from, u_low_to, u_cell_to, u_far;
uniform float u_alpha;
uniform sampler2D u_map;
out vec4 v_colour;
${EXPAND}
void main() {
    vec3 from = u_low_from + a_from.xyz * u_cell_from, to = u_low_to + a_to.xyz * u_cell_to;
    // A body that came in again at the other side of the box draws no line across it.
    bool cut = a_from.x > 65534.5 || a_to.x > 65534.5 || any(greaterThan(abs(to - from), u_far));
    gl_Position = cut ? vec4(2.0, 2.0, 2.0, 1.0) : expand(from, to);
    v_colour = vec4(texelFetch(u_map, ivec2(int(a_colour), 0), 0).rgb, u_alpha);
}`;

const FRAGMENT = `
in vec4 v_colour;
out vec4 colour;
void main() {
    colour = vec4(v_colour.rgb * v_colour.a, v_colour.a);
}`;

const FLOATS = 7; // of a corner: place, colour

// Corners of lines for drawLines, two a line.
export class LineList {
    #numbers = [];

    // Points relative to the camera's target, in its distance.
    line(from, to, colour, colourTo = colour) {
        this.#numbers.push(...from, ...colour, ...to, ...colourTo);
    }
    get count() {
        return this.#numbers.length / (2 * FLOATS);
    }
    data() {
        return new Float32Array(this.#numbers);
    }
}

export function createLines(gl) {
    const lines = createProgram(gl, LINE_VERTEX, FRAGMENT,
                                ["a_from", "a_colour_from", "a_to", "a_colour_to"]);
    const trails = createProgram(gl, TRAIL_VERTEX, FRAGMENT, ["a_from", "a_to", "a_colour"]);
    const buffer = gl.createBuffer();

    function begin({program, uniforms}, how) {
        gl.useProgram(program);
        gl.uniformMatrix4fv(uniforms.u_matrix, false, how.matrix);
        gl.uniform2fv(uniforms.u_pixel, how.pixel);
        gl.uniform1f(uniforms.u_width, how.width);
    }

    // How: {matrix, pixel: [1 / width, 1 / height], width}
    function drawLines(list, how) {
        if (list.count === 0)
            return;
        begin(lines, how);
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferData(gl.ARRAY_BUFFER, list.data(), gl.STREAM_DRAW);
        [3, 4, 3, 4].reduce((offset, size, index) => {
            attribute(gl, index, buffer, size, gl.FLOAT, 8 * FLOATS, offset, 1);
            return offset + 4 * size;
        }, 0);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.count);
        gl.disableVertexAttribArray(2);
        gl.disableVertexAttribArray(3);
    }

    // Pieces: [{from, to, alpha}], each end {buffer, count, low, cell} in camera units
    function drawTrails(pieces, far, how) {
        const {uniforms} = trails;
        begin(trails, how);
        gl.uniform3fv(uniforms.u_far, far);
        for (const {from, to, alpha} of pieces) {
            gl.uniform3fv(uniforms.u_low_from, from.low);
            gl.uniform3fv(uniforms.u_cell_from, from.cell);
            gl.uniform3fv(uniforms.u_low_to, to.low);
            gl.uniform3fv(uniforms.u_cell_to, to.cell);
            gl.uniform1f(uniforms.u_alpha, alpha);
            attribute(gl, 0, from.buffer, 4, gl.UNSIGNED_SHORT, 8, 0, 1);
            attribute(gl, 1, to.buffer, 4, gl.UNSIGNED_SHORT, 8, 0, 1);
            attribute(gl, 2, to.buffer, 1, gl.UNSIGNED_BYTE, 1, 8 * to.count, 1);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, to.count);
        }
        gl.disableVertexAttribArray(2);
    }

    return {drawLines, drawTrails};
}
