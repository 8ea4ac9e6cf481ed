// The density picture: weights of bodies add up in a picture of floats, which is then tone mapped.
import {createProgram} from "./gl.js";

const VERTEX = `
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    gl_Position = vec4(corner, 0.0, 1.0);
}`;

// Brightness goes with the logarithm of the weight; the colour is the mean of the bodies there, or
// that of the map where bodies have none. What is very dense bleaches.
const FRAGMENT = `
uniform sampler2D u_sum, u_map;
uniform float u_exposure;
uniform bool u_plain;
out vec4 colour;
void main() {
    vec4 sum = texelFetch(u_sum, ivec2(gl_FragCoord.xy), 0);
    if (sum.a <= 0.0)
        discard;
    float t = log(1.0 + u_exposure * sum.a) / log(1.0 + 3000.0);
    vec3 mean = sum.rgb / sum.a;
    if (u_plain)
        mean = texelFetch(u_map, ivec2(int(min(t, 1.0) * 255.0), 0), 0).rgb;
    vec3 lit = mean * min(1.25 * t, 1.0) + vec3(smoothstep(1.0, 1.8, t));
    float cover = min(4.0 * t, 1.0);
    colour = vec4(min(lit, 1.0) * (u_plain ? cover : 1.0), cover);
}`;

export function createDensity(gl) {
    const {program, uniforms} = createProgram(gl, VERTEX, FRAGMENT);
    // Sums of many small weights need 32 bits; not every card can blend those.
    const floats = gl.getExtension("EXT_color_buffer_float");
    const full = floats && gl.getExtension("EXT_float_blend");
    const format = full ? gl.RGBA32F : floats ? gl.RGBA16F : gl.RGBA8;
    const texture = gl.createTexture(), target = gl.createFramebuffer();
    let size = [0, 0];

    function resize(width, height) {
        if (size[0] === width && size[1] === height)
            return;
        size = [width, height];
        gl.activeTexture(gl.TEXTURE1); // the first one holds the colours of bodies
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, gl.RGBA,
                      floats ? gl.FLOAT : gl.UNSIGNED_BYTE, null);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindFramebuffer(gl.FRAMEBUFFER, target);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    }

    return {
        // Draws what `paint` draws, added up, into the picture of floats.
        collect(width, height, paint) {
            resize(width, height);
            gl.bindFramebuffer(gl.FRAMEBUFFER, target);
            gl.clearColor(0, 0, 0, 0);
            gl.clear(gl.COLOR_BUFFER_BIT);
            gl.blendFunc(gl.ONE, gl.ONE);
            paint();
            gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        },
        // Lays it over the picture.
        show(exposure, plain) {
            gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
            gl.useProgram(program);
            gl.uniform1i(uniforms.u_sum, 1);
            gl.uniform1i(uniforms.u_map, 0);
            gl.uniform1f(uniforms.u_exposure, exposure);
            gl.uniform1i(uniforms.u_plain, plain ? 1 : 0);
            gl.disableVertexAttribArray(0);
            gl.disableVertexAttribArray(1);
            gl.drawArrays(gl.TRIANGLE_STRIP, 0, 3);
        },
    };
}
