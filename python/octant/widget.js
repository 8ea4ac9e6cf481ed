// A simulation in a notebook, drawn as in the viewer: frames come from Python, and what is asked of
// the simulation goes there.
import {Camera} from "./camera.js";
import {attachPayload, reachOf, readHeader} from "./frame.js";
import {listenToGestures} from "./gestures.js";
import {Renderer} from "./renderer.js";
import {clock, count} from "./units.js";

const MODES = ["points", "spheres", "density"];
const LOOK = {mode: "points", size: 1, brightness: 1, map: "lagoon", reverse: false, ghosts: false,
              trails: false, trailLength: 64, orbits: false, grid: true, axes: false, box: true,
              ortho: false};

// A frame as Python sends it: one piece of bytes.
function readFrame(bytes) {
    const copy = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).slice().buffer;
    const frame = readHeader(copy);
    const end = frame.headerBytes + frame.payloadBytes;
    return attachPayload(frame, copy.slice(frame.headerBytes, end));
}

function element(tag, style, text = "") {
    const made = document.createElement(tag);
    made.style.cssText = style;
    made.textContent = text;
    return made;
}

function render({model, el}) {
    const box = element("div", "position:relative;background:#07090d;border-radius:4px;" +
                               "overflow:hidden;font:13px system-ui,sans-serif");
    const canvas = element("canvas", "display:block;width:100%;touch-action:none;outline:none");
    const words = element("div", "position:absolute;left:10px;top:8px;color:#dbe3f0;" +
                                 "pointer-events:none;white-space:pre-line");
    const bar = element("div", "position:absolute;right:8px;top:8px;display:flex;gap:6px");
    const button = (title, action) => {
        const made = element("button", "background:#1b2230;color:#dbe3f0;border:1px solid #39445a;" +
                                       "border-radius:4px;padding:2px 8px;cursor:pointer", title);
        made.addEventListener("click", action);
        bar.append(made);
        return made;
    };
    box.append(canvas, words, bar);
    el.append(box);
    canvas.style.height = `${model.get("height")}px`;

    const camera = new Camera();
    const app = {look: {...LOOK}, state: null, frame: null, home: {centre: [0, 0, 0], radius: 1},
                 emit() {}};
    const renderer = new Renderer(app, camera, canvas);
    const play = button("▶", () => model.send({ask: model.get("running") ? "pause" : "play"}));
    const mode = button("", () => choose(MODES[(MODES.indexOf(app.look.mode) + 1) % MODES.length]));
    button("⌂", () => { home(); renderer.request(); });

    function choose(name) {
        app.look.mode = name;
        mode.textContent = name;
        renderer.request();
    }

    function home() {
        app.home = reachOf(app.frame);
        camera.yaw = 0;
        camera.pitch = 90;
        camera.fit(app.home);
    }

    function show() {
        const bytes = model.get("frame");
        if (!bytes || bytes.byteLength === 0)
            return;
        const first = app.frame === null;
        app.state = model.get("about");
        app.frame = readFrame(bytes);
        if (first) {
            camera.width = Math.max(canvas.clientWidth, 1);
            camera.height = Math.max(canvas.clientHeight, 1);
            home();
        }
        renderer.take(app.frame);
        const [time, more] = clock(app.frame.time, app.state);
        const bodies = `${count(app.frame.total)} bodies · step ${count(app.frame.step)}`;
        words.textContent = [app.state.title, more ? `${time} · ${more}` : time, bodies]
            .filter(Boolean).join("\n");
    }

    const look = () => {
        Object.assign(app.look, model.get("look"));
        camera.ortho = app.look.ortho;
        choose(app.look.mode);
    };
    const running = () => { play.textContent = model.get("running") ? "⏸" : "▶"; };
    listenToGestures(canvas, camera, {changed: () => renderer.request(), click() {},
                                      doubleClick() {}, moved() {}});
    const watched = {"change:frame": show, "change:look": look, "change:running": running};
    for (const [name, action] of Object.entries(watched))
        model.on(name, action);
    look();
    running();
    show();
    // For tests, and for those who open the console.
    canvas.octant = {app, camera, renderer};
    return () => {
        for (const [name, action] of Object.entries(watched))
            model.off(name, action);
    };
}

export default {render};
