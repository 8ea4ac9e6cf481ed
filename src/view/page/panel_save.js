// The panel "Save": the state into files of the server, the picture into files of the browser.
import {post} from "./server.js";
import {button, section} from "./controls.js";
import {el, setText} from "./dom.js";
import {Recorder} from "./record.js";

export function savePanel(app, actions, canvas) {
    const ask = async verb => {
        try {
            const {file} = await post(verb);
            actions.say(`${file} saved`);
            await actions.refresh();
        } catch (error) {
            actions.complain(error);
        }
    };
    const snapshot = button("Snapshot", () => ask("snapshot"), {title: "All bodies, as HDF5"});
    const checkpoint = button("Checkpoint", () => ask("checkpoint"),
                              {title: "Everything that is needed to go on from here"});
    const film = button("Record a film", () => actions.record(), {id: "record"});
    const folder = el("p", {class: "muted"}), files = el("ul", {class: "files"});
    let shown = "";

    app.on("state", state => {
        snapshot.disabled = !app.can("snapshot");
        checkpoint.disabled = !app.can("checkpoint");
        setText(folder, state.out ? `In the folder ${state.out}, where octant runs.`
                                  : "There is no folder for results here.");
        const now = (state.saved ?? []).join();
        if (now !== shown) {
            shown = now;
            files.replaceChildren(...state.saved.map(name => el("li", {}, name)));
        }
    });
    app.on("record", running => setText(film, running ? "Stop recording" : "Record a film"));
    film.disabled = !Recorder.possible(canvas);

    return [
        section("Bodies", folder, el("div", {class: "buttons"}, snapshot, checkpoint), files),
        section("Picture", el("p", {class: "muted"}, "Comes as a download of this browser."),
            el("div", {class: "buttons"},
               button("PNG", () => actions.picture(), {title: "(e)"}), film)),
    ];
}
