"use strict";
// The computations of the page, one question at a time; a new one replaces the last. A question is
// {number, state, moving, views}, with the ids of the views in order of priority. The messages are:
//
//     {number}                    the question was taken up
//     {number, share}             progress of the work on `about`, if that takes long
//     {number, about}             the result of `preparing`
//     {number, id, why}           the reason why a view does not apply
//     {number, id, share}         progress of a view
//     {number, id, data, worst}   its data, or null if they wait until the end of a drag
//     {number, done}
const answers = (() => {
  // Milliseconds between two progress messages.
  const APART = 100;
  const views = new Map([...views_saturated.all, ...views_open.all].map((view) => [view.id, view]));

  // Passes on progress, now and then.
  function pace(tell) {
    let last = performance.now();
    return (share) => {
      if (performance.now() - last < APART) return;
      last = performance.now();
      tell(share);
    };
  }

  // Views take turns of `slice` milliseconds.
  function begin(tell, slice) {
    let latest = 0;

    async function answer({ number, state, moving, views: wanted }) {
      latest = number;
      const say = (part) => tell({ number, ...part });
      say({});
      const about = preparing.prepare(state, moving, pace((share) => say({ share })));
      say({ about });
      let works = wanted.flatMap((id) => _take_up(views.get(id), about, say) ?? []);
      while (works.length) {
        works = works.filter((work) => _go_on(work, about, performance.now() + slice, say));
        await new Promise((resolve) => { setTimeout(resolve); });
        if (latest !== number) return;
      }
      say({ done: true });
    }

    return (question) => answer(question).catch((error) => tell({ number: question.number, broken: String(error.stack) }));
  }

  function _take_up(view, about, say) {
    const { id } = view;
    if (!about.means && about.moving) {
      say({ id, data: null });
      return null;
    }
    const why = about.means ? view.applies(about) : "The present system is too large for this page.";
    if (why) say({ id, why });
    else return { id, steps: view.compute(about), hear: pace((share) => say({ id, share })) };
    return null;
  }

  // The work of one view until `deadline`; returns whether there is more to do.
  function _go_on({ id, steps, hear }, about, deadline, say) {
    do {
      let step;
      try {
        step = steps.next();
      } catch (error) {
        if (!error.why && !(error instanceof chain.TooLarge)) throw error;
        say({ id, why: error.why ?? `Some of these systems are too large for this page: ${error.message}.` });
        return false;
      }
      if (step.done) {
        say({ id, data: step.value, worst: about.worst });
        return false;
      }
      hear(step.value);
    } while (performance.now() < deadline);
    return true;
  }

  return { begin };
})();
