// Controls of the panels. Those that show a choice of the look follow it when a key changes it.
import {el, icon, setText} from "./dom.js";

let labels = 0;
const newId = () => `control-${++labels}`;

export const section = (title, ...children) =>
    el("section", {class: "section"}, title && el("h3", {}, title), ...children);

export function fold(title, open, ...children) {
    return el("details", {class: "fold", open}, el("summary", {}, title), ...children);
}

export const button = (text, onclick, properties = {}) =>
    el("button", {type: "button", class: "button", onclick, ...properties}, text);

export const iconButton = (name, label, onclick, properties = {}) =>
    el("button", {type: "button", class: "icon-button", title: label, "aria-label": label, onclick,
                  ...properties}, icon(name));

export function row(label, control, value) {
    control.id ||= newId();
    return el("div", {class: "row"}, el("label", {htmlFor: control.id}, label), control, value);
}

// A slider for a positive number, even in its logarithm.
export function logSlider(app, key, label, low, high, format) {
    const input = el("input", {type: "range", step: "any", min: Math.log(low),
                               max: Math.log(high)});
    const value = el("output", {class: "value"});
    input.addEventListener("input", () => app.set(key, Math.exp(input.valueAsNumber)));
    const show = () => {
        input.value = Math.log(app.look[key]);
        setText(value, format(app.look[key]));
        input.setAttribute("aria-valuetext", value.textContent);
    };
    app.on("look", changed => changed === key && show());
    show();
    return row(label, input, value);
}

export function toggle(app, key, label, hint = "") {
    const input = el("input", {type: "checkbox", role: "switch"});
    input.addEventListener("change", () => app.set(key, input.checked));
    const show = () => { input.checked = app.look[key]; };
    app.on("look", changed => changed === key && show());
    show();
    return el("label", {class: "toggle", title: hint}, el("span", {}, label), input);
}

// A choice of few, side by side.
export function choice(app, key, label, options) {
    const name = newId();
    const inputs = Object.entries(options).map(([value, text]) => {
        const input = el("input", {type: "radio", name, value});
        input.addEventListener("change", () => app.set(key, value));
        return el("label", {}, input, el("span", {}, text));
    });
    const group = el("div", {class: "choice", role: "radiogroup", "aria-label": label}, inputs);
    const show = () => {
        for (const input of group.querySelectorAll("input"))
            input.checked = input.value === app.look[key];
    };
    app.on("look", changed => changed === key && show());
    show();
    return group;
}

export function select(options, value, onchange, properties = {}) {
    const box = el("select", {...properties}, Object.entries(options).map(([key, text]) =>
        el("option", {value: key, selected: key === String(value)}, text)));
    box.addEventListener("change", () => onchange(box.value));
    return box;
}
