// The panel "Help": the keys, and the gestures.
import {section} from "./controls.js";
import {el} from "./dom.js";

const NAMES = {ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc",
               PageDown: "Page ↓"};
const GESTURES = [["drag", "turn"], ["drag right, or with Shift", "move"], ["wheel, pinch", "zoom"],
                  ["click", "pick a body"], ["double click", "follow it"]];

export function helpPanel(table) {
    const list = rows => el("dl", {class: "keys"}, rows.map(([keys, text]) =>
        el("div", {}, el("dt", {}, keys.map(key => el("kbd", {}, NAMES[key] ?? key))),
           el("dd", {}, text))));
    return [
        ...Object.entries(table).map(([title, rows]) => section(title, list(rows))),
        section("Mouse and touch", list(GESTURES.map(([gesture, text]) => [[gesture], text]))),
        el("p", {class: "muted"}, "Keys are those of Celestial and REBOUND where they have one. ",
           "Celestial's Tab is i here: in a browser, Tab goes from control to control."),
    ];
}
