// Puts the page together.
import {createActions} from "./actions.js";
import {takeToken} from "./server.js";
import {createApp} from "./app.js";
import {Camera} from "./camera.js";
import {byId, setText} from "./dom.js";
import {startFine} from "./fine.js";
import {listenToGestures} from "./gestures.js";
import {startHud} from "./hud.js";
import {keyTable, listenToKeys} from "./keys.js";
import {startLink} from "./link.js";
import {startNotices} from "./notice.js";
import {hasOrbits, startOrbits} from "./orbits.js";
import {addPanel} from "./panel_add.js";
import {startBodyPanel} from "./panel_body.js";
import {chartsPanel} from "./panel_charts.js";
import {helpPanel} from "./panel_help.js";
import {lookPanel} from "./panel_look.js";
import {savePanel} from "./panel_save.js";
import {scenesPanel} from "./panel_scenes.js";
import {tunePanel} from "./panel_tune.js";
import {startPanels} from "./panels.js";
import {Renderer} from "./renderer.js";
import {startStream} from "./stream.js";
import {startTransport} from "./transport.js";

const FEW = 64; // bodies whose orbits are worth a line each

function start() {
    const app = createApp(), camera = new Camera(), canvas = byId("stage");
    const actions = createActions(app, camera, canvas);
    Object.assign(actions, startNotices(app));
    const renderer = actions.renderer = new Renderer(app, camera, canvas);
    const keys = keyTable(app, camera, actions);
    actions.panels = startPanels([
        {name: "charts", title: "Measurements", icon: "charts", side: "left",
         content: chartsPanel(app, actions)},
        {name: "look", title: "Look", icon: "look", side: "right",
         content: lookPanel(app, actions)},
        {name: "tune", title: "Parameters", icon: "tune", side: "right",
         content: tunePanel(app, actions)},
        {name: "add", title: "Add", icon: "add", side: "right",
         content: addPanel(app, actions, camera)},
        {name: "scenes", title: "Scenes", icon: "scenes", side: "right",
         content: scenesPanel(app, actions)},
        {name: "save", title: "Save", icon: "save", side: "right",
         content: savePanel(app, actions, canvas)},
        {name: "help", title: "Help", icon: "help", side: "right", content: helpPanel(keys)},
    ], insets => {
        camera.insets = insets;
        renderer.request();
    });

    actions.fine = startFine(app, camera);

    let generation = null, begun = null;
    let waiting = null; // a frame whose scene is not known yet
    const stream = startStream(frame => {
        if (app.frozen)
            stream.recycle(frame);
        else
            show(frame);
    });

    function show(frame) {
        const {state} = app;
        // A scene's first frame may come before the state that tells what it is.
        if (state?.generation !== frame.generation && generation !== frame.generation) {
            waiting = frame;
            return;
        }
        const before = app.frame, another = generation !== frame.generation;
        waiting = null;
        generation = frame.generation;
        app.frame = frame;
        if (another)
            renderer.forgetTrails();
        if (another && !state.files && begun !== state.begun)
            actions.fine.reset();
        renderer.take(frame);
        stream.recycle(before);
        // Another file, or another body, is another generation of the same scene: the view stays.
        if (another && (state.files ? !before : begun !== state.begun))
            beginScene();
        begun = state.begun;
        if (app.picked && another)
            actions.pick(state.files ? app.picked.index : -1);
        actions.keepUp();
    }

    function beginScene() {
        const {frame, state} = app;
        app.set("follow", false);
        app.suggest({mode: frame.ownBox && frame.radiusUnit > 0 ? "spheres" : "points",
                     orbits: frame.total <= FEW && hasOrbits(state)});
        actions.homeView();
    }

    app.on("state", state => {
        setText(byId("title"), state.title || state.scene || "Octant");
        document.title = `${state.title || state.scene || "Viewer"} · Octant`;
        if (waiting)
            show(waiting);
    });
    byId("again").addEventListener("click", actions.reset);
    app.on("pick", actions.panels.tellCovered);
    app.on("look", key => {
        camera.ortho = app.look.ortho;
        if (key === "trails" || key === "trailLength")
            renderer.forgetTrails();
        if (key === "follow")
            actions.keepUp();
        renderer.request();
    });
    camera.ortho = app.look.ortho;

    startHud(app, camera);
    startTransport(app, actions);
    startBodyPanel(app, actions);
    startOrbits(app, renderer);
    listenToGestures(canvas, camera, {
        changed: () => renderer.request(),
        click: actions.pickAt,
        doubleClick: (x, y) => { actions.pickAt(x, y); actions.follow(); },
        moved: () => app.set("follow", false),
    });
    listenToKeys(keys, canvas);
    actions.refresh = startLink(app, stream).ask;
    // For tests, and for those who open the console.
    window.octant = {app, camera, renderer, actions};
}

takeToken();
try {
    start();
} catch (error) {
    setText(byId("notice-title"), "This page does not work here.");
    setText(byId("notice-text"), error.message);
    byId("notice").hidden = false;
}
