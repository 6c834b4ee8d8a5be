/**
 * Takes files and folders that are dropped on the browser.
 *
 * @param {import('./element.js').DocumentBrowser} browser
 * @param {(entries: FileSystemEntry[], files: File[]) => void} dropped  called with what there was of each
 */
export function listenForDrops(browser, dropped) {
  let depth = 0; // dragenter and dragleave come for every element on the way
  const holdsFiles = (event) => event.dataTransfer?.types.includes('Files') && !browser.inert;
  const sign = (isShown) => browser.classList.toggle('is-drop-target', isShown);
  browser.addEventListener('dragenter', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth += 1;
    sign(true);
  });
  browser.addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) sign(false);
  });
  // Anywhere else a dropped file would replace the page.
  addEventListener('dragover', (event) => {
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = holdsFiles(event) ? 'copy' : 'none';
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    sign(false);
    if (!holdsFiles(event) || !browser.contains(event.target)) return;
    const { items, files } = event.dataTransfer;
    // Both must be taken before the event ends.
    dropped([...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), [...files]);
  });
}
