// The panel "Parameters": what may be changed on the way, and what the last change cost.
import {get, post} from "./server.js";
import {fold, section} from "./controls.js";
import {el, setText} from "./dom.js";
import {fieldControl, fieldOf} from "./fields.js";
import {number} from "./units.js";

// Those that people turn most, in this order; the others are folded away.
const FIRST = ["gravity.method", "gravity.theta", "gravity.softening", "gravity.opening",
               "integrator.method", "integrator.dt", "integrator.substeps", "run.until"];
const TITLES = {gravity: "Gravity", forces: "Forces", collisions: "Collisions", box: "Box",
                integrator: "Integrator", run: "Run", output: "Output"};
// The server takes neither from a page.
const NEVER = ["path", "code"];

function describeCost(changed, stepMs) {
    if (!changed)
        return "Changes take effect between two steps.";
    const names = changed.keys.join(", "), before = changed.step_ms_before;
    const taken = `${names}: changed in ${number(changed.ms, 3)} ms.`;
    if (!before || !stepMs)
        return taken;
    const change = 100 * (stepMs / before - 1);
    return `${taken} A step took ${number(before, 3)} ms and takes ${number(stepMs, 3)} ms now ` +
           `(${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(0)} %).`;
}

export function tunePanel(app, actions) {
    const cost = el("p", {class: "cost", id: "cost", "aria-live": "polite"});
    const body = el("div", {});
    let reference = null, shown = "";

    // What cannot go on cannot be changed on the way: it begins again with the other value.
    async function change(key, value) {
        await post(app.state?.error ? "reset" : "set", {[key]: value});
        await actions.refresh();
    }

    function build(state) {
        const values = state.parameters;
        const control = key => {
            const field = fieldOf(reference, key, values);
            return field && !NEVER.includes(field.type)
                ? fieldControl(key, field, values[key], state.units, text => change(key, text))
                : null;
        };
        const keys = Object.keys(values), first = FIRST.filter(key => keys.includes(key));
        const rest = name => keys.filter(key => key.startsWith(`${name}.`) && !first.includes(key));
        body.replaceChildren(
            section(null, first.map(control)),
            ...Object.keys(TITLES).filter(name => rest(name).length > 0).map(name =>
                fold(TITLES[name], false, rest(name).map(control).filter(Boolean))));
    }

    // Controls are made anew when values change, but not under somebody's hands.
    app.on("state", state => {
        setText(cost, describeCost(state.changed, state.step_ms));
        const now = JSON.stringify(state.parameters) + state.units.name;
        const busy = body.contains(document.activeElement) &&
                     document.activeElement.matches("input[type=text]");
        if (reference && now !== shown && !(busy && shown)) {
            shown = now;
            build(state);
        }
    });
    const load = () => get("/api/scenes").then(scenes => { reference = scenes.reference; });
    app.on("link", () => app.link === "up" && load().catch(() => {}));
    return [cost, body];
}
