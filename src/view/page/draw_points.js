// Bodies as soft round points. The density picture draws them with weights that add up.
import {attribute, createProgram} from "./gl.js";

// A body far away is smaller, but never so small that it flickers: then it fades instead. Larger
// bodies get larger points where bodies have a radius.
const VERTEX = `
in vec4 a_body;
in float a_colour;
uniform mat4 u_matrix;
uniform vec3 u_low, u_cell;
uniform float u_size, u_least, u_alpha, u_radii;
uniform sampler2D u_map;
out vec4 v_colour;
void main() {
    if (a_body.x > 65534.5) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        gl_PointSize = 1.0;
        return;
    }
    gl_Position = u_matrix * vec4(u_low + a_body.xyz * u_cell, 1.0);
    float body = a_body.w > 0.0 ? 0.6 + 1.6 * pow(a_body.w / 65535.0, 0.25) : 1.0;
    body = mix(1.0, body, u_radii);
    float size = u_size * body / mix(1.0, max(gl_Position.w, 0.05), 0.5);
    gl_PointSize = max(size, u_least);
    float fade = min(size / u_least, 1.0);
    v_colour = vec4(texelFetch(u_map, ivec2(int(a_colour), 0), 0).rgb, u_alpha * fade * fade);
}`;

const FRAGMENT = `
in vec4 v_colour;
uniform float u_soft;
out vec4 colour;
void main() {
    float r = length(2.0 * gl_PointCoord - 1.0);
    if (r > 1.0)
        discard;
    float alpha = v_colour.a * mix(1.0 - smoothstep(0.6, 1.0, r), exp(-4.0 * r * r), u_soft);
    colour = vec4(v_colour.rgb * alpha, alpha);
}`;

export function createPoints(gl) {
    const {program, uniforms} = createProgram(gl, VERTEX, FRAGMENT, ["a_body", "a_colour"]);
    // How: {matrix, size, least, alpha, soft, radii}; images: [{low, alpha}], in camera units
    return function drawPoints(bodies, images, how) {
        gl.useProgram(program);
        gl.uniformMatrix4fv(uniforms.u_matrix, false, how.matrix);
        gl.uniform3fv(uniforms.u_cell, bodies.cell);
        gl.uniform1f(uniforms.u_size, how.size);
        gl.uniform1f(uniforms.u_least, how.least);
        gl.uniform1f(uniforms.u_soft, how.soft);
        gl.uniform1f(uniforms.u_radii, how.radii);
        attribute(gl, 0, bodies.buffer, 4, gl.UNSIGNED_SHORT, 8, 0);
        attribute(gl, 1, bodies.buffer, 1, gl.UNSIGNED_BYTE, 1, 8 * bodies.count);
        for (const image of images) {
            gl.uniform3fv(uniforms.u_low, image.low);
            gl.uniform1f(uniforms.u_alpha, how.alpha * image.alpha);
            gl.drawArrays(gl.POINTS, 0, bodies.count);
        }
    };
}
