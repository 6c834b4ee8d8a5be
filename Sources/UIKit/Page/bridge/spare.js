/**
 * All that is in a frame which is held ready: it takes an editor's document from the page and becomes it, at the
 * address where that document is. Nothing of this is left then.
 *
 *   frame to page  {sheaf: "spare"}
 *   page to frame  {sheaf: "document", text}
 */
(() => {
  'use strict';

  addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.sheaf !== 'document') return;
    document.open(); // ends this listener too
    document.write(data.text);
    document.close();
  });
  window.parent.postMessage({ sheaf: 'spare' }, location.origin);
})();
