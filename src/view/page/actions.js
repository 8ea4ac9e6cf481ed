// What buttons and keys do.
import {post} from "./server.js";
import {isShown, positionOf, reachOf} from "./frame.js";
import {pickBody} from "./pick.js";
import {Recorder, savePicture} from "./record.js";
import {clock, count} from "./units.js";

const V_SYNC = 60; // steps a second: Celestial takes one step a picture

// Ways to look: [yaw, pitch] in degrees.
const SIDES = {z: [0, 90], y: [0, 0], x: [90, 0]};

export function createActions(app, camera, canvas) {
    const recorder = new Recorder();
    let before = "leapfrog"; // the integrator to go back to
    let resets = 0;
    const actions = {
        // Filled in by main.js: renderer, panels, fine, say, complain, refresh.

        redraw: () => actions.renderer.request(),

        async ask(verb, values) {
            try {
                const reply = await post(verb, values);
                await actions.refresh();
                return reply;
            } catch (error) {
                await actions.refresh(); // it may have failed for good
                actions.complain(error);
                return null;
            }
        },
        playOrPause: () => actions.ask(app.state?.paused ? "resume" : "pause"),
        step: steps => actions.ask("step", app.state?.files ? {} : {steps}),
        reset: () => app.can("reset") && actions.ask("reset"),
        limitSpeed: () => actions.ask("speed", {limit: app.state?.speed > 0 ? 0 : V_SYNC}),
        async profile() {
            if (!actions.panels.isOpen("charts"))
                actions.open("charts");
            await actions.ask("profile");
        },
        async celestial() {
            const method = app.state?.parameters?.["integrator.method"];
            if (!method || !app.can("set"))
                return;
            const on = method === "two-rate";
            if (await actions.ask("set", {"integrator.method": on ? before : "two-rate"}))
                actions.say(`Celestial's two-rate integration is ${on ? "off" : "on"}`);
            if (!on)
                before = method;
        },
        sayTime() {
            const {frame, state} = app;
            if (frame && state)
                actions.say(`Step ${count(frame.step)}, ${clock(frame.time, state)[0]}`);
        },
        async quit() {
            if (confirm("End the viewer? The simulation ends with it.") &&
                await actions.ask("quit"))
                actions.say("The viewer has ended.");
        },

        // The view of a scene when it begins: sheets from above, others at a slant.
        homeView() {
            const {boundary} = app.state ?? {};
            if (!app.frame)
                return;
            // A smaller box holds a part only: then what was known before counts.
            if (!actions.fine.active())
                app.home = reachOf(app.frame);
            [camera.yaw, camera.pitch] = boundary?.omega > 0 ? [0, 90] : [20, 35];
            camera.fit(app.home);
            resets = 0;
            actions.redraw();
        },
        // As in REBOUND, again and again goes through the sides.
        resetView() {
            const turns = resets;
            app.set("follow", false);
            actions.fine.reset();
            actions.homeView();
            resets = turns + 1;
            if (turns > 0)
                [camera.yaw, camera.pitch] = SIDES["zyx"[(turns - 1) % 3]];
            actions.redraw();
        },
        lookAlong(axis) {
            camera.inverted = false;
            [camera.yaw, camera.pitch] = SIDES[axis];
            actions.redraw();
        },
        invert() {
            camera.inverted = !camera.inverted;
            actions.redraw();
        },

        // Chooses a body of the frame; -1: none.
        pick(index) {
            const {frame} = app;
            const shown = frame && isShown(frame, index);
            app.picked = shown ? {index, slot: index * frame.stride} : null;
            if (!app.picked)
                app.set("follow", false);
            app.emit("pick");
            actions.redraw();
        },
        pickAt(x, y) {
            if (app.frame)
                actions.pick(pickBody(app.frame, camera, app.look.mode, app.look.size, x, y));
        },
        follow() {
            app.set("follow", app.picked !== null);
            actions.keepUp();
            actions.redraw();
        },
        followNext(direction) {
            const {frame} = app;
            if (!frame)
                return;
            let index = app.picked?.index ?? (direction > 0 ? -1 : frame.count);
            do
                index += direction;
            while (index >= 0 && index < frame.count && !isShown(frame, index));
            actions.pick(index);
            actions.follow();
        },
        // Keeps the followed body in the middle.
        keepUp() {
            const {frame, picked, look} = app;
            if (look.follow && picked && frame && isShown(frame, picked.index))
                camera.target = positionOf(frame, picked.index);
        },

        freeze() {
            app.frozen = !app.frozen;
            actions.say(app.frozen ? "The picture stands still (d)" : "The picture goes on");
        },
        picture: () => savePicture(app, actions.renderer, canvas),
        record() {
            try {
                if (recorder.running)
                    recorder.stop();
                else
                    recorder.start(app, canvas);
                app.emit("record", recorder.running);
            } catch (error) {
                actions.complain(error);
            }
        },
        open: name => actions.panels.toggle(name),
        closeOnPhone: () => actions.panels.closeOnPhone(),
        escape() {
            if (app.picked)
                actions.pick(-1);
            else
                actions.panels.closeLast();
        },
    };
    return actions;
}
