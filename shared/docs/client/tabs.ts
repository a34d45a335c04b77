import { all, element } from './elements.ts';

let count = 0;

const choose = (tabs: readonly HTMLElement[], panels: readonly HTMLElement[], chosen: number): void => {
  for (const [at, tab] of tabs.entries()) {
    tab.setAttribute('aria-selected', String(at === chosen));
    tab.tabIndex = at === chosen ? 0 : -1;
    const panel = panels[at];
    if (panel) panel.hidden = at !== chosen;
  }
};

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

const makeTabs = (group: HTMLElement): void => {
  const panels = all(':scope > [data-tab]', group);
  const tabs = panels.map((panel) => {
    const tab = element('button', '', panel.dataset['tab'] ?? '');
    count += 1;
    tab.type = 'button';
    tab.id = `tab-${count}`;
    tab.setAttribute('role', 'tab');
    panel.id = `panel-${count}`;
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    return tab;
  });
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(tabs, panels, at));
    tab.addEventListener('keydown', ({ key }) => {
      const step = steps[key];
      if (step === undefined) return;
      const next = (at + step + tabs.length) % tabs.length;
      choose(tabs, panels, next);
      tabs[next]?.focus();
    });
  }
  const list = element('div', '', ...tabs);
  list.setAttribute('role', 'tablist');
  group.prepend(list);
  choose(tabs, panels, 0);
};

/** Show of several forms of a request one at a time. Without a script they stand one under the other. */
export const addTabs = (): void => all('[data-tabs]').forEach(makeTabs);
