// The bar at the bottom: start, pause, step, start again, speed; files: a slider over them.
import {post} from "./server.js";
import {select} from "./controls.js";
import {byId, setIcon, setText} from "./dom.js";
import {count} from "./units.js";

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export function startTransport(app, actions) {
    const play = byId("play"), step = byId("step"), reset = byId("reset"), steps = byId("steps"),
          scrubber = byId("scrubber");
    const speed = select({0: "full speed"}, 0, value => post("speed", {limit: value})
        .catch(actions.complain), {id: "speed", "aria-label": "Speed limit", title: "Speed limit"});
    byId("speed-place").append(speed);
    setIcon(step, "step");
    setIcon(reset, "reset");
    play.addEventListener("click", () => actions.playOrPause());
    step.addEventListener("click", () => actions.step(1));
    reset.addEventListener("click", () => actions.reset());

    // While one file is fetched the slider may move on: only the last place counts.
    let seeking = false, wanted = null;
    async function seek(index) {
        wanted = index;
        if (seeking)
            return;
        seeking = true;
        while (wanted !== null) {
            const now = wanted;
            wanted = null;
            await post("seek", {index: now}).catch(actions.complain);
        }
        seeking = false;
        actions.refresh();
    }
    scrubber.addEventListener("input", () => seek(scrubber.value));

    let shown = "";
    function fillSpeeds(files, limit) {
        const now = `${files} ${limit}`;
        if (now === shown || document.activeElement === speed)
            return;
        shown = now;
        const values = [...new Set([...SPEEDS, limit])].filter(x => x > 0).sort((a, b) => a - b);
        speed.replaceChildren(new Option("full speed", 0), ...values.map(value =>
            new Option(`${value} ${files ? "files" : "steps"}/s`, value)));
        speed.value = limit;
    }

    app.on("state", state => {
        const {paused, ended, files} = state;
        setIcon(play, paused ? "play" : "pause");
        const label = paused ? (ended ? "Go on" : "Start") : "Pause";
        play.title = `${label} (Space)`;
        play.setAttribute("aria-label", label);
        play.disabled = !app.can("resume") || Boolean(state.error);
        step.disabled = !app.can("step") || Boolean(state.error);
        reset.disabled = !app.can("reset");
        speed.disabled = !app.can("speed");
        fillSpeeds(Boolean(files), state.speed);
        scrubber.hidden = !files;
        if (files) {
            scrubber.max = files.count - 1;
            if (!seeking)
                scrubber.value = files.index;
            scrubber.setAttribute("aria-valuetext", files.name);
            setText(steps, `${files.index + 1} of ${files.count}`);
            steps.title = files.name;
        } else {
            const of = state.steps ? ` of ${count(state.steps)}` : "";
            setText(steps, `step ${count(state.step)}${of}`);
        }
    });
}
