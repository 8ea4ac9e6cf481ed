// The panel "Scenes": choose a built-in scene and fill in its fields.
import {get, post} from "./server.js";
import {button, fold} from "./controls.js";
import {el, setText} from "./dom.js";
import {defaultsOf, fieldControl, fieldOf} from "./fields.js";
import {unitOf} from "./units.js";

const TITLES = {models: "Bodies", box: "Space", gravity: "Gravity", collisions: "Collisions",
                integrator: "Integrator", run: "Run", output: "Output"};

// Unit symbols of the unit systems that a scene may choose.
const UNITS = {
    si: {physical: true, length: "m", mass: "kg", time: "s", speed: "m/s"},
    solar: {physical: true, length: "AU", mass: "M⊕", time: "d", speed: "AU/d"},
    galactic: {physical: true, length: "kpc", mass: "10¹⁰ M☉", time: "kpc/(km/s)",
               speed: "km/s"},
    nbody: {physical: false},
};

export function scenesPanel(app, actions) {
    const list = el("div", {class: "cards"});
    const form = el("form", {class: "scene-form", hidden: true});
    const note = el("p", {class: "muted", hidden: true}), faults = el("ul", {class: "files"});
    let scenes = [], reference = null;

    function choose(scene) {
        const values = {...scene.values}, changes = {};
        const units = UNITS[values.units] ?? UNITS.nbody;
        const fault = el("p", {class: "fault", role: "alert", hidden: true});
        const parts = el("div", {});
        list.hidden = true;
        form.hidden = false;

        const control = key => {
            const field = fieldOf(reference, key, values);
            if (!field || field.type === "path")
                return null;
            return fieldControl(key, field, values[key], units, text => {
                values[key] = changes[key] = text;
                if (field.docs) {
                    another(key.split(".")[0], text);
                    build();
                }
            });
        };

        // Another module of a section has other fields; what both have stays.
        function another(section, module) {
            const fresh = defaultsOf(reference, section, module);
            const [selector, ...rest] = Object.keys(fresh);
            for (const key of rest)
                fresh[key] = values[key] ?? fresh[key];
            for (const place of [values, changes])
                for (const key of Object.keys(place))
                    if (key.startsWith(`${section}.`) && !(place === changes && key in fresh))
                        delete place[key];
            Object.assign(values, fresh);
            changes[selector] = module;
        }

        function build() {
            const open = new Set([...parts.querySelectorAll("details[open]")]
                .map(part => part.dataset.part));
            parts.replaceChildren(...Object.entries(TITLES).map(([name, title]) => {
                const keys = Object.keys(values).filter(key => key.startsWith(`${name}.`));
                const controls = keys.map(control).filter(Boolean);
                if (controls.length === 0)
                    return null;
                const part = fold(title, open.size ? open.has(name) : name === "models", controls);
                part.dataset.part = name;
                return part;
            }).filter(Boolean));
        }

        async function begin(event) {
            event.preventDefault();
            fault.hidden = true;
            start.disabled = true;
            setText(start, "Making it …");
            try {
                const reply = await post("scene", {name: scene.name, ...changes});
                actions.say(`${scene.title}: ${reply.n} bodies`);
                await actions.refresh();
                showList();
                actions.closeOnPhone();
            } catch (error) {
                fault.textContent = error.message;
                fault.hidden = false;
            }
            start.disabled = false;
            setText(start, "Begin");
        }

        const start = el("button", {type: "submit", class: "button main"}, "Begin");
        const seed = control("seed");
        build();
        form.onsubmit = begin;
        form.replaceChildren(
            el("div", {class: "form-head"}, el("h3", {}, scene.title),
               el("p", {class: "muted"}, units.physical
                   ? `Numbers without a unit are in ${unitOf("length", units)}, ` +
                     `${unitOf("mass", units)} and ${unitOf("time", units)}; “3 km” is fine.`
                   : "Numbers have no units: G = 1.")),
            parts, seed, fault,
            el("div", {class: "buttons sticky"}, button("Back", showList), start));
        form.closest(".panel")?.scrollTo(0, 0);
    }

    function showList() {
        form.hidden = true;
        list.hidden = false;
    }

    function card(scene) {
        return el("button", {type: "button", class: "card", onclick: () => choose(scene),
                             "aria-current": scene.name === app.state?.scene ? "true" : undefined},
                  el("strong", {}, scene.name), el("span", {}, scene.title));
    }

    async function load() {
        ({scenes, reference} = await get("/api/scenes"));
        list.replaceChildren(...scenes.map(card));
    }

    let current = "";
    app.on("link", () => app.link === "up" && load().catch(() => {}));
    app.on("state", state => {
        const possible = app.can("scene");
        note.hidden = possible;
        setText(note, state.mode === "run" ? "This is a run: it keeps its scene."
                                           : "These are files: they keep their scene.");
        const left = state.files?.faults ?? [];
        if (left.length !== faults.children.length)
            faults.replaceChildren(...left.map(({name, error}) =>
                el("li", {}, `${name} is left out: ${error}`)));
        list.classList.toggle("off", !possible);
        if (current !== state.scene) {
            current = state.scene;
            list.replaceChildren(...scenes.map(card));
        }
        for (const each of list.children)
            each.disabled = !possible;
    });
    return [note, faults, list, form];
}
