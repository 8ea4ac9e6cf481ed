// The keys: those of Celestial's and REBOUND's viewers, where they do not contradict each other.

export function keyTable(app, camera, actions) {
    const look = name => () => app.toggle(name);
    const mode = (one, other) => () => app.set("mode", app.look.mode === one ? other : one);
    const turn = (dx, dy) => () => { camera.rotate(dx, dy); actions.redraw(); };
    const zoom = factor => () => { camera.zoom(factor); actions.redraw(); };
    const field = factor => () => { camera.changeField(factor); actions.redraw(); };
    return {
        Run: [
            [["Space"], "start, pause", () => actions.playOrPause()],
            [["n"], "one step", () => actions.step(1)],
            [["PageDown"], "fifty steps", () => actions.step(50)],
            [["Home"], "from the start", () => actions.reset()],
            [["v"], "speed limit on, off", () => actions.limitSpeed()],
            [["c"], "Celestial's two-rate integration on, off", () => actions.celestial()],
            [["."], "say step and time", () => actions.sayTime()],
            [["q"], "end the viewer", () => actions.quit()],
        ],
        Camera: [
            [["ArrowUp", "+"], "nearer", zoom(1.15)],
            [["ArrowDown", "-"], "farther", zoom(1 / 1.15)],
            [["ArrowLeft"], "turn left", turn(5, 0)],
            [["ArrowRight"], "turn right", turn(-5, 0)],
            [["r"], "reset the view; again: other sides", () => actions.resetView()],
            [["1", "2", "3"], "along z, y, x", key => actions.lookAlong(" zyx"[key])],
            [["i"], "from the other side", () => actions.invert()],
            [["["], "narrower field of view", field(1 / 1.1)],
            [["]"], "wider field of view", field(1.1)],
            [["f"], "reset the field of view", () => { camera.resetField(); actions.redraw(); }],
            [["o"], "perspective on, off", look("ortho")],
            [["x", "X"], "follow the next body, the one before",
             key => actions.followNext(key === "x" ? 1 : -1)],
        ],
        Show: [
            [["s"], "spheres, points", mode("spheres", "points")],
            [["a"], "density", mode("density", "points")],
            [["w"], "orbits", look("orbits")],
            [["t"], "trails", look("trails")],
            [["g"], "ghost boxes", look("ghosts")],
            [["b"], "grid", look("grid")],
            [["d"], "hold the picture still", () => actions.freeze()],
            [["e"], "save the picture", () => actions.picture()],
        ],
        Panels: [
            [["l"], "measurements", () => actions.open("charts")],
            [["p"], "time the kernels of a step", () => actions.profile()],
            [["m"], "look", () => actions.open("look")],
            [["h"], "this help", () => actions.open("help")],
            [["Escape"], "close, let go", () => actions.escape()],
        ],
    };
}

export function listenToKeys(table, canvas) {
    const actions = new Map(Object.values(table).flat().flatMap(
        ([keys, , run]) => keys.map(key => [key === "Space" ? " " : key, run])));
    // Letters count in either case, unless they differ.
    const find = key => actions.get(key) ?? actions.get(key.toLowerCase());
    document.addEventListener("keydown", event => {
        const {key, target} = event;
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        // Somebody who types does not mean keys; Escape leaves the field.
        const typing = target.matches("input:not([type=checkbox]):not([type=radio]), select");
        if (typing && key === "Escape")
            target.blur();
        const own = target.matches("button, summary, input, a") && (key === " " || key === "Enter");
        const radio = target.matches("input[type=radio]") && key.startsWith("Arrow");
        if (typing || own || radio)
            return;
        const run = find(key);
        if (run) {
            event.preventDefault();
            run(key);
        }
    });
    // After a click keys mean the picture again: Space must not press the same button once more.
    document.addEventListener("click", ({detail, target}) => {
        if (detail > 0 &&
            target.closest("button, summary, input[type=checkbox], input[type=radio]"))
            canvas.focus({preventScroll: true});
    });
}
