// Sentences for people: a notice that stays as long as its reason does, and short-lived ones.
import {byId, setText} from "./dom.js";

const TEXTS = {
    connecting: ["Connecting …", ""],
    loading: ["The scene is being made …", ""],
    away: ["The viewer does not answer.", "It may be busy or gone. This page goes on trying."],
    denied: ["This address is not valid.",
             "A viewer that is started anew has a new address: open the one that it printed."],
};

export function startNotices(app) {
    const notice = byId("notice"), title = byId("notice-title"), text = byId("notice-text"),
          toast = byId("toast"), fault = byId("fault");
    let timer = 0;

    function showLink() {
        const shown = TEXTS[app.link ?? "connecting"];
        notice.hidden = !shown;
        document.body.dataset.link = app.link ?? "connecting";
        if (shown) {
            setText(title, shown[0]);
            setText(text, shown[1]);
        }
    }
    app.on("link", showLink);
    app.on("state", state => {
        fault.hidden = !state.error;
        setText(fault, state.error ?? "");
    });
    showLink();

    function say(sentence, wrong = false) {
        clearTimeout(timer);
        toast.textContent = sentence;
        toast.classList.toggle("wrong", wrong);
        toast.hidden = false;
        timer = setTimeout(() => { toast.hidden = true; }, wrong ? 8000 : 4000);
    }
    // Where nobody answers the notice says so already.
    return {say, complain: error => error.status !== 0 && say(error.message, true)};
}
