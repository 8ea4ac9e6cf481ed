// Elements without a framework: el("button", {class: "x", onclick}, "text", child).

export function el(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        if (value === undefined || value === null || value === false)
            continue;
        if (key.startsWith("on"))
            element.addEventListener(key.slice(2), value);
        else if (key in element && key !== "list" && key !== "role")
            element[key] = value;
        else
            element.setAttribute(key === "class" ? "class" : key, value === true ? "" : value);
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined));
    return element;
}

export const byId = id => document.getElementById(id);

// Writing the same text again would make the browser lay the page out anew.
export function setText(element, text) {
    if (element.textContent !== text)
        element.textContent = text;
}

const SVG = "http://www.w3.org/2000/svg";

// Strokes on a grid of 24.
const PATHS = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M8 5v14M16 5v14",
    step: "M5 5v14l9-7zM18 5v14",
    reset: "M5 12a7 7 0 1 0 2.2-5.1M4 4v4.5h4.5",
    look: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" +
          "M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z",
    charts: "M4 4v16h16M7.5 15l4-5 3 3 5-7",
    tune: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4",
    scenes: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
    save: "M12 4v11M7.5 10.5L12 15l4.5-4.5M4.5 19.5h15",
    help: "M9 9.2a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 2M12 17.6v.2",
    add: "M12 5v14M5 12h14",
    close: "M6 6l12 12M18 6L6 18",
};

export function icon(name) {
    const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("class", "icon");
    path.setAttribute("d", PATHS[name]);
    svg.append(path);
    return svg;
}

export function setIcon(button, name) {
    if (button.dataset.icon === name)
        return;
    button.dataset.icon = name;
    button.replaceChildren(icon(name));
}
