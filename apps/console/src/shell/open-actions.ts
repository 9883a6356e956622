import { MousePointerClick } from 'lucide-react';
import type { PaletteEntry } from '../app/palette.js';

/** An action of the open page: pressing it there is what ⌘K does. */
export interface OpenAction extends PaletteEntry {
  press: () => void;
}

const found = '[data-page-actions] :is(button, a[href]):not(:disabled, [data-disabled]), main [role=tab]';

/**
 * What can be done on the open page: the actions beside its title, and its tabs. Each page shows its own with their
 * reasons and questions, so they are pressed there instead of being written down twice.
 */
export function openActions(): OpenAction[] {
  return [...document.querySelectorAll<HTMLElement>(found)].flatMap((element, index) => {
    const label = element.getAttribute('aria-label') ?? element.textContent.trim();
    const isShown = element.offsetParent !== null && element.getAttribute('aria-selected') !== 'true';
    if (label === '' || !isShown) return [];
    return [{ id: `open-${index}`, label, icon: MousePointerClick, path: '', press: () => element.click() }];
  });
}
