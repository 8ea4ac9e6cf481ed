// Finds the fields that keys of a scene stand for in the tables of all sections and modules, and
// makes controls for them.
import {el} from "./dom.js";
import {unitOf} from "./units.js";

const byName = (list, name) => list.find(entry => entry.name === name);

// In a section `models` a field may be a model itself.
function inFields(fields, path, section) {
    const field = byName(fields, path[0]), rest = path.slice(1);
    if (field?.type === "model")
        return inModule(section, rest);
    return field?.type === "group" ? inFields(field.fields, rest, section) : field ?? null;
}

// The path begins with the name of a module.
function inModule(section, path) {
    const module = byName(section.modules, path[0]);
    return inFields([...section.fields, ...(module?.fields ?? [])], path.slice(1), section);
}

// The field of a key such as "gravity.theta" or "models.0.ring.radius.min", or null. `values`
// tells which module a section has chosen.
export function fieldOf(reference, key, values) {
    const path = key.split("."), section = byName(reference.sections, path[0]);
    if (!section)
        return path.length === 1 ? byName(reference.top.fields, key) ?? null : null;
    if (section.selector && path[1] === section.selector)
        return {name: section.selector, type: "choice", doc: section.doc, dimension: "number",
                default: section.default, choices: section.modules.map(m => m.name),
                docs: Object.fromEntries(section.modules.map(m => [m.name, m.doc]))};
    const name = section.list ? path[2] : values[`${section.name}.${section.selector}`];
    const before = section.list ? 3 : section.named ? 2 : 1; // parts of the key, with the module
    return inModule(section, [name, ...path.slice(before)]);
}

// The keys of a section that has chosen another module, with their defaults.
export function defaultsOf(reference, sectionName, moduleName) {
    const section = byName(reference.sections, sectionName), out = {};
    const add = (fields, prefix) => {
        for (const field of fields)
            if (field.type === "group")
                add(field.fields, `${prefix}.${field.name}`);
            else if (field.type !== "parameters") // whose names are those of a scene
                out[`${prefix}.${field.name}`] = field.default ?? "";
    };
    out[`${sectionName}.${section.selector}`] = moduleName;
    add(byName(section.modules, moduleName)?.fields ?? [], sectionName);
    add(section.fields, sectionName);
    return out;
}

const words = name => name.replaceAll("_", " ");
const SYMBOLS = {theta: "opening angle θ", dt: "time step dt", n: "number n",
                 alpha: "accuracy α"};

function labelOf(key, field) {
    const path = key.split("."), name = path.at(-1);
    if (field?.docs) // what a section has chosen
        return path[0];
    const from = {models: 3, forces: 2}[path[0]] ?? 1; // a force is known by its name
    const group = path.slice(from, -1);
    return words([...group, SYMBOLS[name] ?? name].join(" "));
}

// What is wrong with a text for this field, as far as it can be told here, or "". A number with a
// unit is left to the server, which knows units.
export function faultOf(field, text) {
    if (!["int", "real"].includes(field.type) || !/^[-+.\d][\d.eE+-]*$/.test(text.trim()))
        return "";
    const x = Number(text);
    const wrong = Number.isNaN(x) || (field.type === "int" && !Number.isInteger(x)) ||
                  (field.min !== null && (x < field.min || (field.above_min && x === field.min))) ||
                  (field.max !== null && x > field.max);
    return wrong ? `Expected ${field.expected}.` : "";
}

// Sixteen digits are for computers; a value is sent only when somebody has changed it.
const shorten = text =>
    (/^-?[\d.]{9,}(e[-+]?\d+)?$/.test(text) ? String(Number(Number(text).toPrecision(7))) : text);

const numbersOf = text => text.replace(/[[\]]/g, "").split(",").map(part => part.trim());

function vectorInput(key, value, change) {
    const inputs = numbersOf(value).map(shorten).map((part, k) =>
        el("input", {type: "text", value: part, spellcheck: false, "aria-label":
                     `${labelOf(key)} ${"xyz"[k] ?? k}`}));
    const box = el("div", {class: "vector"}, inputs);
    box.addEventListener("change", () => change(`[${inputs.map(i => i.value).join(", ")}]`));
    return box;
}

function plainInput(field, value, change) {
    if (field.type === "choice") {
        const box = el("select", {}, field.choices.map(name =>
            el("option", {value: name, selected: name === value, title: field.docs?.[name]},
               name)));
        box.addEventListener("change", () => change(box.value));
        return box;
    }
    if (field.type === "bool") {
        const box = el("input", {type: "checkbox", role: "switch", checked: value === "true"});
        box.addEventListener("change", () => change(String(box.checked)));
        return box;
    }
    const box = el("input", {type: "text", value: shorten(value), spellcheck: false,
                             autocomplete: "off"});
    box.addEventListener("change", () => change(box.value.trim()));
    return box;
}

let ids = 0;

// A control with its label, unit, help and a place for what is wrong with it. `change(value)` is
// called with texts that may be right; it may return a promise that fails with a sentence.
export function fieldControl(key, field, value, units, change) {
    const fault = el("p", {class: "fault", role: "alert", hidden: true});
    const complain = sentence => {
        fault.textContent = sentence;
        fault.hidden = !sentence;
    };
    const attempt = async text => {
        const wrong = faultOf(field, text);
        complain(wrong);
        if (!wrong)
            await Promise.resolve(change(text)).catch(error => complain(error.message));
    };
    const vector = field.type.endsWith("3");
    const control = vector ? vectorInput(key, value, attempt) : plainInput(field, value, attempt);
    const id = `field-${++ids}`, unit = unitOf(field.dimension, units);
    (vector ? control.querySelector("input") : control).id = id;
    const help = [field.docs?.[value] ?? field.doc,
                  field.expected && `Expected: ${field.expected}.`].filter(Boolean).join(" ");
    const box = el("div", {class: "field", title: help},
                   el("label", {htmlFor: id}, labelOf(key, field)),
                   el("div", {class: "entry"}, control, unit && el("span", {class: "unit"}, unit)),
                   fault);
    box.dataset.key = key;
    return box;
}
