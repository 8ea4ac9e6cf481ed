// Panels that fold away: measurements at the left, one of the others at the right. On a narrow
// screen there is place for one.
import {byId, el, icon} from "./dom.js";
import {iconButton} from "./controls.js";

const NARROW = matchMedia("(max-width: 760px)");
const GAP = 16;
const STORE = "octant.panels";

// Panels: [{name, title, icon, side, content}]; `covered` hears what they cover of the screen.
export function startPanels(panels, covered) {
    const open = new Set();
    const parts = new Map();

    // The width of what is open at a side, with the gap to the edge.
    function widthOf(side) {
        const panel = panels.find(each => each.side === side && open.has(each.name));
        return panel ? parts.get(panel.name).panel.offsetWidth + GAP : 0;
    }

    function tellCovered() {
        const sheet = NARROW.matches && (open.size > 0 || !byId("body-panel").hidden);
        covered(sheet ? {left: 0, right: 0, bottom: 0.5 * innerHeight}
                      : {left: widthOf("left"), right: widthOf("right"), bottom: 0});
    }

    function show() {
        for (const {name, side} of panels) {
            const {panel, button} = parts.get(name);
            panel.hidden = !open.has(name);
            button.setAttribute("aria-expanded", String(open.has(name)));
            document.body.classList.toggle(`with-${side}`,
                panels.some(other => other.side === side && open.has(other.name)));
        }
        sessionStorage.setItem(STORE, [...open].join());
        tellCovered();
    }

    function close(name) {
        open.delete(name);
        show();
    }

    function toggle(name) {
        const {side} = panels.find(panel => panel.name === name);
        if (!open.delete(name)) {
            for (const other of panels)
                if (other.side === side || NARROW.matches)
                    open.delete(other.name);
            open.add(name);
        }
        show();
    }

    for (const {name, title, icon: picture, side, content} of panels) {
        const button = el("button", {type: "button", class: "tab", title, "aria-controls":
                                     `panel-${name}`, onclick: () => toggle(name)},
                          icon(picture), el("span", {}, title));
        const panel = el("section", {class: `panel ${side}`, id: `panel-${name}`, "aria-label":
                                     title, hidden: true},
            el("header", {}, el("h2", {}, title),
               iconButton("close", `Close ${title.toLowerCase()}`, () => close(name))),
            el("div", {class: "content"}, content));
        button.id = `tab-${name}`;
        byId("tabs").append(button);
        byId("panels").append(panel);
        parts.set(name, {panel, button});
    }
    if (!NARROW.matches)
        for (const name of (sessionStorage.getItem(STORE) ?? "").split(","))
            if (parts.has(name))
                open.add(name);
    show();
    addEventListener("resize", tellCovered);

    return {
        toggle,
        tellCovered,
        // Closes the one that was opened last; whether there was one.
        closeLast() {
            const last = [...open].at(-1);
            if (last)
                close(last);
            return Boolean(last);
        },
        closeOnPhone() {
            if (NARROW.matches) {
                open.clear();
                show();
            }
        },
        isOpen: name => open.has(name),
    };
}
