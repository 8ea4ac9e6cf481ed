// Sentences for people: a notice that stays as long as its reason does, and short-lived ones.
import {byId, setText} from "./dom.js";

const TEXTS = {
    connecting: ["Connecting …", ""],
    loading: ["The scene is being made …", ""],
    away: ["The viewer does not answer.", "It may be busy or gone. This page goes on trying."],
    denied: ["This address is not valid.",
             "A viewer that is started anew has a new address: open the one that it printed."],
};

const HELP = "The simulation cannot go on. Begin again from the start, after a change of its " +
             "parameters if need be, or choose another scene.";

export function startNotices(app) {
    const notice = byId("notice"), title = byId("notice-title"), text = byId("notice-text"),
          toast = byId("toast"), fault = byId("fault"), faultText = byId("fault-text"),
          faultHelp = byId("fault-help"), again = byId("again");
    let timer = 0, told = "";

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
    // A simulation that cannot go on is told before a picture that cannot be had.
    app.on("state", ({error, frame}) => {
        fault.hidden = !error && !frame?.error;
        setText(faultText, error ?? `There is no new picture: ${frame?.error}`);
        setText(faultHelp, error ? HELP : "");
        again.hidden = !error;
    });
    showLink();

    function say(sentence, wrong = false) {
        clearTimeout(timer);
        toast.textContent = sentence;
        toast.classList.toggle("wrong", wrong);
        toast.hidden = false;
        timer = setTimeout(() => { toast.hidden = true; }, wrong ? 8000 : 4000);
    }
    // A file that is left out is told once; the panel of scenes keeps the list.
    app.on("state", ({files}) => {
        const last = files?.faults?.at(-1)?.error ?? "";
        if (last && last !== told)
            say(last, true);
        told = last;
    });
    // Where nobody answers the notice says so already, and of a failed simulation the banner.
    return {say, complain: error => error.status !== 0 && error.message !== app.state?.error &&
                                    say(error.message, true)};
}
