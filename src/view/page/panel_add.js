// The panel "Add": one body more, between two steps.
import {button, section} from "./controls.js";
import {el, setText} from "./dom.js";
import {number, unitOf} from "./units.js";

const FIELDS = [
    {name: "mass", dimension: "mass", width: 1},
    {name: "radius", dimension: "length", width: 1},
    {name: "position", dimension: "length", width: 3},
    {name: "velocity", dimension: "speed", width: 3},
];

function makeField({name, width}) {
    const inputs = Array.from({length: width}, (_, k) =>
        el("input", {type: "text", value: "0", spellcheck: false, autocomplete: "off",
                     id: `add-${name}${k || ""}`,
                     "aria-label": width > 1 ? `${name} ${"xyz"[k]}` : name}));
    const unit = el("span", {class: "unit"});
    const box = el("div", {class: "field"}, el("label", {htmlFor: `add-${name}`}, name),
                   el("div", {class: "entry"},
                      width > 1 ? el("div", {class: "vector"}, inputs) : inputs[0], unit));
    return {box, inputs, unit};
}

export function addPanel(app, actions, camera) {
    const fields = Object.fromEntries(FIELDS.map(field => [field.name, makeField(field)]));
    const fill = (name, values) =>
        fields[name].inputs.forEach((input, k) => { input.value = number(values[k], 7); });
    const add = button("Add", async () => {
        const values = Object.fromEntries(FIELDS.map(({name}) =>
            [name, fields[name].inputs.map(input => input.value.trim()).join(" ")]));
        const reply = await actions.ask("add", values);
        if (reply)
            actions.say(`Body ${reply.id} has joined: ${reply.n} bodies`);
    }, {id: "add-body"});
    const like = button("Like the picked", () => {
        const {body} = app.picked ?? {};
        if (body)
            for (const {name, width} of FIELDS)
                fill(name, width > 1 ? body[name] : [body[name]]);
    }, {title: "Its numbers, to change them"});
    const here = button("At the centre", () => fill("position", camera.target),
                        {title: "Where the view turns about"});
    app.on("state", state => {
        add.disabled = !app.can("add");
        for (const {name, dimension} of FIELDS)
            setText(fields[name].unit, unitOf(dimension, state.units));
    });
    return [section(null, ...FIELDS.map(({name}) => fields[name].box),
                    el("div", {class: "buttons"}, here, like, add))];
}
