/** What the page does beyond being read: every part of it works without, but filtering, copying and trying. */
import { nameAddress } from './address.ts';
import { addMenu, markPlace, unfoldTarget } from './contents.ts';
import { addCopies } from './copy.ts';
import { addFilter } from './filter.ts';
import { addKey } from './key.ts';
import { addTabs } from './tabs.ts';
import { addForms } from './try.ts';

nameAddress();
addTabs();
addCopies();
addMenu();
addFilter();
addForms(addKey());
unfoldTarget();
markPlace();
