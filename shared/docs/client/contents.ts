import { all, one } from './elements.ts';

/** On a narrow screen the contents are behind a button. */
export const addMenu = (): void => {
  const nav = one('nav');
  const button = one<HTMLButtonElement>('.menu');
  const show = (isOpen: boolean): void => {
    nav.classList.toggle('open', isOpen);
    button.setAttribute('aria-expanded', String(isOpen));
  };
  document.documentElement.classList.add('scripted');
  button.hidden = false;
  button.addEventListener('click', () => show(!nav.classList.contains('open')));
  nav.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) show(false);
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !nav.classList.contains('open')) return;
    show(false);
    button.focus();
  });
};

/** Mark in the contents what is being read. */
export const markPlace = (): void => {
  const links = new Map(all<HTMLAnchorElement>('nav li a').map((link) => [link.hash.slice(1), link]));
  const places = all('main [id]').filter(({ id }) => links.has(id));
  let current: HTMLAnchorElement | undefined;
  const mark = (): void => {
    const line = innerHeight / 4;
    const place = places.filter((one) => one.getBoundingClientRect().top <= line).at(-1);
    const link = links.get(place?.id ?? '');
    if (link === current) return;
    current?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'location');
    current = link;
    if (link && !link.closest('details:not([open])')) keepInView(link);
  };
  let isWaiting = false;
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
};

// Of the contents only: scrollIntoView would move the page, too.
const keepInView = (link: HTMLElement): void => {
  const nav = one('nav');
  const { top, bottom } = link.getBoundingClientRect();
  const frame = nav.getBoundingClientRect();
  if (top < frame.top + 40 || bottom > frame.bottom - 40) nav.scrollTop += top - frame.top - frame.height / 3;
};

const targetOf = (hash: string): HTMLElement | null => {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    // An address that somebody wrote by hand.
    return null;
  }
};

/** A link may lead to what is folded: unfold it on the way, and go there again. */
export const unfoldTarget = (): void => {
  const unfold = (): void => {
    const target = targetOf(location.hash);
    let isMoved = false;
    for (let at = target?.parentElement; at; at = at.parentElement) {
      if (!(at instanceof HTMLDetailsElement) || at.open) continue;
      at.open = true;
      isMoved = true;
    }
    if (isMoved) target?.scrollIntoView();
  };
  addEventListener('hashchange', unfold);
  unfold();
};
