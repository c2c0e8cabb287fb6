"use strict";
// The page's access to `answers`: a worker made from the scripts of this page, so that nothing is loaded and
// no work blocks the page. If a browser does not allow a worker, the same code runs here in short turns.
const asking = (() => {
  const [SLICE, TURN] = [20, 7];
  // A worker that has not taken up a question after this time, in milliseconds, is busy with an earlier one.
  const PATIENCE = 250;

  function _hire(receive, fail) {
    const sources = [...document.querySelectorAll("#mathematics script")].map((script) => script.textContent);
    const last = `const answer = answers.begin(postMessage, ${SLICE}); onmessage = ({ data }) => answer(data);`;
    const address = URL.createObjectURL(new Blob([...sources, last], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = fail;
    return worker;
  }

  function _do_it_here(receive) {
    const answer = answers.begin(receive, TURN);
    return { postMessage: answer, terminate() {} };
  }

  // Returns {ask, busy}: `receive` gets the messages about the latest question.
  function begin(receive) {
    // The question being answered, one that waits, and whether the worker has ever sent a message.
    let [worker, number, open, waiting, taken, works, timer] = [null, 0, null, null, false, false, 0];

    function hear(told) {
      if (told.number !== number) return;
      if (told.broken) throw new Error(told.broken);
      [taken, works] = [true, true];
      if (told.done) open = null;
      receive(told);
      if (!open && waiting) send(waiting);
    }

    function hire() {
      try {
        worker = _hire(hear, () => {
          if (!works) {
            worker = _do_it_here(hear);
            worker.postMessage(open);
          }
        });
      } catch {
        worker = _do_it_here(hear);
      }
    }

    function send(question) {
      const late = open !== null;
      number += 1;
      [open, waiting, taken] = [{ ...question, number }, null, false];
      worker.postMessage(open);
      clearTimeout(timer);
      if (late) timer = setTimeout(replace, PATIENCE);
    }

    function replace() {
      if (taken || !open || !works) return;
      worker.terminate();
      hire();
      worker.postMessage(open);
    }

    // During a drag changes may be faster than answers: the latest state is then the next question.
    function ask(question) {
      if (open?.moving && question.moving) waiting = question;
      else send(question);
    }

    hire();
    return { ask, get busy() { return open !== null || waiting !== null; } };
  }

  return { begin };
})();
