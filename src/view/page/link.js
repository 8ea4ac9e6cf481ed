// Asks for the state four times a second, and knows whether there is a server at the other end.
import {get, takeToken} from "./server.js";

const PERIOD_MS = 250;
const AWAY_MS = 1000;

export function startLink(app, stream) {
    let timer = 0;
    let answered = performance.now();

    // "up", "loading", "away" (nobody answers), "denied" (another server, or no token)
    function report(link, sentence = "") {
        if (app.link === link)
            return;
        app.link = link;
        app.emit("link", sentence);
    }

    async function ask() {
        clearTimeout(timer);
        let wait = PERIOD_MS;
        try {
            const state = await get("/api/state", 5000);
            const gone = app.link === "away" || app.link === "denied";
            answered = performance.now();
            if (state.loading) {
                report("loading");
            } else {
                app.state = state;
                report("up");
                app.emit("state", state);
                if (gone) // the old stream may hang for ever
                    stream.restart();
            }
        } catch (error) {
            wait = AWAY_MS;
            // One lost answer is nothing to worry anybody with.
            if (error.status === 403)
                report("denied", error.message);
            else if (performance.now() - answered > 1500)
                report("away");
        }
        timer = setTimeout(ask, document.hidden ? 4 * AWAY_MS : wait);
    }

    document.addEventListener("visibilitychange", () => document.hidden || ask());
    addEventListener("hashchange", () => {
        if (takeToken()) {
            stream.restart();
            ask();
        }
    });
    ask();
    return {ask};
}
