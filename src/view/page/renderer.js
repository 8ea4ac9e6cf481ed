// Draws the newest frame with WebGL2, when something has changed.
import {colourTable} from "./colours.js";
import {createDensity} from "./draw_density.js";
import {createLines} from "./draw_lines.js";
import {createPoints} from "./draw_points.js";
import {createSpheres} from "./draw_spheres.js";
import {fillBuffer} from "./gl.js";
import {buildScenery, imageShifts} from "./scenery.js";
import {Trails} from "./trails.js";
import {add, scale, sub} from "./vector.js";

const BACKGROUND = [0.027, 0.035, 0.051];
// Few bodies get larger points, many get smaller ones; in CSS pixels.
const pointPixels = count => Math.min(Math.max(7 - 1.15 * Math.log10(count || 1), 1.3), 6);
const GHOST_ALPHA = 0.45;

export class Renderer {
    orbits = [];
    drawn = 0;       // pictures so far
    milliseconds = 0; // of the last one, on this side

    #app;
    #camera;
    #canvas;
    #gl = null;
    #newest = null; // {buffer, frame}
    #table = "";    // what the colour table was made for
    #waiting = false;

    constructor(app, camera, canvas) {
        this.#app = app;
        this.#camera = camera;
        this.#canvas = canvas;
        this.#begin();
        canvas.addEventListener("webglcontextlost", event => {
            event.preventDefault();
            this.#gl = null;
        });
        canvas.addEventListener("webglcontextrestored", () => {
            this.#begin();
            if (app.frame)
                this.take(app.frame);
        });
        new ResizeObserver(() => this.#resize()).observe(canvas);
    }

    #begin() {
        const gl = this.#canvas.getContext("webgl2", {alpha: false, antialias: true,
                                                      powerPreference: "high-performance"});
        if (!gl)
            throw new Error("This browser has no WebGL2, which the picture needs.");
        this.points = createPoints(gl);
        this.spheres = createSpheres(gl);
        this.lines = createLines(gl);
        this.density = createDensity(gl);
        this.trails = new Trails(gl);
        const map = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, map);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        gl.enable(gl.BLEND);
        gl.depthFunc(gl.LEQUAL);
        this.#gl = gl;
        this.#map = map;
        this.#table = "";
        this.#newest = null;
    }
    #map = null;

    #resize() {
        const ratio = Math.min(devicePixelRatio || 1, 2);
        const {clientWidth, clientHeight} = this.#canvas;
        this.#camera.width = Math.max(clientWidth, 1);
        this.#camera.height = Math.max(clientHeight, 1);
        this.#canvas.width = Math.max(1, Math.round(clientWidth * ratio));
        this.#canvas.height = Math.max(1, Math.round(clientHeight * ratio));
        this.draw(); // at once: a resized canvas is empty
    }

    // Brings a frame to the graphics card.
    take(frame) {
        const gl = this.#gl;
        if (!gl)
            return;
        let buffer = this.#newest?.buffer ?? gl.createBuffer();
        if (this.#newest && this.#app.look.trails && this.#newest.frame.payload &&
            frame.step !== this.#newest.frame.step)
            buffer = this.trails.keep(buffer, this.#newest.frame, this.#app.look.trailLength);
        fillBuffer(gl, buffer, new Uint8Array(frame.payload));
        this.#newest = {buffer, frame};
        this.request();
    }

    forgetTrails() {
        if (this.#gl)
            this.trails.clear();
    }

    // Draws before the screen is next refreshed.
    request() {
        if (this.#waiting)
            return;
        this.#waiting = true;
        requestAnimationFrame(() => this.draw());
    }

    #toCamera(frame) {
        const {target, distance} = this.#camera;
        return {low: scale(sub(frame.low, target), 1 / distance),
                cell: scale(frame.cell, 1 / distance)};
    }

    #loadTable(field) {
        const {map, reverse} = this.#app.look;
        const gl = this.#gl, wanted = `${field} ${map} ${reverse}`;
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, this.#map);
        if (wanted === this.#table)
            return;
        this.#table = wanted;
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE,
                      colourTable(field, map, reverse));
    }

    draw() {
        const gl = this.#gl, began = performance.now();
        this.#waiting = false;
        if (!gl)
            return;
        gl.viewport(0, 0, this.#canvas.width, this.#canvas.height);
        gl.clearColor(...BACKGROUND, 1);
        gl.depthMask(true);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        if (this.#newest)
            this.#drawFrame(this.#newest);
        this.drawn++;
        this.milliseconds = performance.now() - began;
        this.#app.emit("drawn");
    }

    #drawFrame({buffer, frame}) {
        const {look, state} = this.#app, camera = this.#camera;
        const matrix = camera.matrix(), ratio = this.#canvas.height / camera.height;
        const plain = frame.colour === "none" && look.mode === "density";
        this.#loadTable(plain ? "density" : frame.colour);

        const bodies = {buffer, count: frame.count, ...this.#toCamera(frame)};
        const images = imageShifts(state?.boundary, frame.image, look.ghosts).map((shift, i) =>
            ({low: add(bodies.low, scale(shift, 1 / camera.distance)),
              alpha: i === 0 ? 1 : GHOST_ALPHA}));
        const line = {matrix, pixel: [1 / this.#canvas.width, 1 / this.#canvas.height],
                      width: 0.6 + 0.7 * ratio};
        const scenery = () => this.#drawScenery(frame, bodies, line);

        if (look.mode === "spheres") {
            this.#drawSpheres(frame, bodies, images);
            scenery();
        } else if (look.mode === "density") {
            this.#collectDensity(frame, bodies, images, matrix, ratio);
            scenery();
            this.density.show(this.#exposure(frame, ratio), plain);
        } else {
            scenery();
            this.points(bodies, images, {
                matrix, size: pointPixels(frame.count) * look.size * ratio, least: 1.3, soft: 0,
                alpha: Math.min(look.brightness, 1) * 0.9, radii: frame.radiusUnit > 0 ? 1 : 0,
            });
        }
    }

    #drawSpheres(frame, bodies, images) {
        const gl = this.#gl, {look} = this.#app, camera = this.#camera;
        // The smallest radius in pixels; bodies without one are balls of the size of points.
        const least = frame.radiusUnit > 0 ? 1.2 : 0.65 * pointPixels(frame.count) * look.size;
        gl.enable(gl.DEPTH_TEST);
        gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        gl.disable(gl.BLEND);
        this.spheres(bodies, images, {
            view: camera.view(), projection: camera.projection(), ortho: camera.ortho,
            radius: frame.radiusUnit * look.size / camera.distance,
            pixel: least * 2 * camera.halfHeight / camera.height,
            bright: look.brightness,
        });
        gl.enable(gl.BLEND);
        gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        gl.disable(gl.DEPTH_TEST);
    }

    #drawScenery(frame, bodies, line) {
        const gl = this.#gl, {look, state} = this.#app;
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        if (look.mode === "spheres")
            gl.enable(gl.DEPTH_TEST);
        gl.depthMask(false);
        gl.blendEquation(gl.MAX); // lines that meet must not shine where they do
        this.lines.drawLines(buildScenery(this.#camera, look, state?.boundary, frame, this.orbits),
                             line);
        if (look.trails) {
            const far = frame.ownBox ? bodies.cell.map(cell => 32767 * cell) : [1e9, 1e9, 1e9];
            this.lines.drawTrails(
                this.trails.pieces(this.#newest, older => this.#toCamera(older)), far,
                {...line, width: 0.8 * line.width});
        }
        gl.blendEquation(gl.FUNC_ADD);
        gl.depthMask(true);
        gl.disable(gl.DEPTH_TEST);
    }

    #collectDensity(frame, bodies, images, matrix, ratio) {
        this.density.collect(this.#canvas.width, this.#canvas.height, () =>
            this.points(bodies, images, {
                matrix, size: this.#softPixels(frame, ratio), least: 2, soft: 1,
                alpha: 1, radii: 0,
            }));
    }

    #softPixels(frame, ratio) {
        return 2.5 * pointPixels(frame.count) * this.#app.look.size * ratio;
    }

    // So that the mean weight in the part of the picture that the box fills comes out the same for
    // every number of bodies, size of points and zoom.
    #exposure(frame, ratio) {
        const {look, home} = this.#app, pixels = this.#softPixels(frame, ratio);
        const area = (2 * home.radius / this.#camera.unitsPerPixel * ratio) ** 2;
        return 30 * look.brightness ** 2 * area / (0.2 * pixels * pixels * (frame.count || 1));
    }
}
