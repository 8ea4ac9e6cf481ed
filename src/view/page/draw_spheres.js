// Bodies as lit spheres of their true radius: a square each, on which the ray through every pixel
// is met with the sphere.
import {attribute, createProgram} from "./gl.js";

const VERTEX = `
in vec4 a_body;
in float a_colour;
uniform mat4 u_view, u_projection;
uniform vec3 u_low, u_cell;
uniform float u_radius, u_pixel;
uniform bool u_ortho;
uniform sampler2D u_map;
flat out vec3 v_centre;
flat out vec3 v_colour;
flat out float v_radius;
out vec3 v_place;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec3 centre = (u_view * vec4(u_low + a_body.xyz * u_cell, 1.0)).xyz;
    float away = u_ortho ? 1.0 : max(-centre.z, 0.0);
    // A body too small to see is drawn as a dot.
    float radius = max(a_body.w * u_radius, u_pixel * away);
    if (a_body.x > 65534.5 || (!u_ortho && -centre.z < radius)) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    // Across the line of sight; seen from nearby a sphere shows more than its radius.
    vec3 back = u_ortho ? vec3(0.0, 0.0, 1.0) : -normalize(centre);
    vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), back));
    float d2 = dot(centre, centre);
    float seen = radius * (u_ortho ? 1.0 : sqrt(d2 / max(d2 - radius * radius, 1e-3 * d2)));
    // A margin of half a pixel for the soft edge.
    seen += 0.5 * u_pixel * away;
    v_place = centre + seen * (corner.x * right + corner.y * cross(back, right));
    v_centre = centre;
    v_radius = radius;
    v_colour = texelFetch(u_map, ivec2(int(a_colour), 0), 0).rgb;
    gl_Position = u_projection * vec4(v_place, 1.0);
}`;

const FRAGMENT = `
flat in vec3 v_centre;
flat in vec3 v_colour;
flat in float v_radius;
in vec3 v_place;
uniform mat4 u_projection;
uniform float u_bright, u_alpha;
uniform bool u_ortho;
out vec4 colour;
void main() {
    vec3 ray = u_ortho ? vec3(0.0, 0.0, -1.0) : normalize(v_place);
    vec3 from = u_ortho ? vec3(v_place.xy, 0.0) : vec3(0.0);
    vec3 to = v_centre - from;
    float along = dot(to, ray);
    vec3 miss = to - along * ray;
    float b = length(miss) / v_radius;
    // Soft at the rim, over a pixel: the samples of the pixel are covered in this proportion.
    float cover = 1.0 - smoothstep(1.0 - 0.5 * fwidth(b), 1.0 + 0.5 * fwidth(b), b);
    if (cover <= 0.0)
        discard;
    float half_chord = v_radius * sqrt(max(1.0 - b * b, 0.0));
    vec3 place = from + (along - half_chord) * ray;
    vec3 normal = (place - v_centre) / v_radius;
    float sun = max(dot(normal, normalize(vec3(-0.45, 0.55, 0.7))), 0.0);
    float rim = pow(1.0 - max(-dot(normal, ray), 0.0), 3.0);
    vec3 lit = v_colour * (0.16 + 0.95 * sun) + 0.08 * rim * vec3(0.6, 0.75, 1.0)
             + 0.18 * pow(sun, 24.0);
    colour = vec4(lit * u_bright * u_alpha, cover);
    vec4 clip = u_projection * vec4(place, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
}`;

export function createSpheres(gl) {
    const {program, uniforms} = createProgram(gl, VERTEX, FRAGMENT, ["a_body", "a_colour"]);
    // How: {view, projection, radius (of the number 1), pixel (smallest radius), bright, ortho}
    return function drawSpheres(bodies, images, how) {
        gl.useProgram(program);
        gl.uniformMatrix4fv(uniforms.u_view, false, how.view);
        gl.uniformMatrix4fv(uniforms.u_projection, false, how.projection);
        gl.uniform3fv(uniforms.u_cell, bodies.cell);
        gl.uniform1f(uniforms.u_radius, how.radius);
        gl.uniform1f(uniforms.u_pixel, how.pixel);
        gl.uniform1f(uniforms.u_bright, how.bright);
        gl.uniform1i(uniforms.u_ortho, how.ortho ? 1 : 0);
        attribute(gl, 0, bodies.buffer, 4, gl.UNSIGNED_SHORT, 8, 0, 1);
        attribute(gl, 1, bodies.buffer, 1, gl.UNSIGNED_BYTE, 1, 8 * bodies.count, 1);
        for (const image of images) {
            gl.uniform3fv(uniforms.u_low, image.low);
            gl.uniform1f(uniforms.u_alpha, image.alpha);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, bodies.count);
        }
    };
}
