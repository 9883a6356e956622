import { Kbd, UnstyledButton } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../api/project-query.js';
import { hasScope, useSession } from '../api/session.js';
import { navigation, type NavigationGroup, type NavigationItem } from '../app/navigation.js';
import { shellTexts } from '../texts/shell.js';
import { AccountMenu } from './account-menu.js';
import { AttentionCount } from './attention-count.js';
import classes from './navigation.module.css';
import { ProjectSwitcher } from './project-switcher.js';

const groups: readonly NavigationGroup[] = ['home', 'messages', 'build', 'connect', 'operate'];

export default function Navigation({ onSearch }: { onSearch: () => void }): ReactNode {
  const { scopes } = useSession();
  const allowed = navigation.filter(({ scope }) => scope === undefined || hasScope(scopes, scope));
  return (
    <div className={classes.navigation}>
      <ProjectSwitcher />
      <UnstyledButton className={classes.search} onClick={onSearch}>
        <Search size={15} aria-hidden />
        <span className={classes.searchLabel}>{shellTexts.search}</span>
        <Kbd size="xs">{shellTexts.searchKeys}</Kbd>
      </UnstyledButton>
      <nav aria-label={shellTexts.navigation} className={classes.groups}>
        {groups.map((group) => (
          <Group key={group} label={shellTexts.groups[group]} items={allowed.filter((item) => item.group === group)} />
        ))}
      </nav>
      <AccountMenu />
    </div>
  );
}

/** Pages are named by path: the type of the whole route tree cannot cover each of them. */
const pathWithin = (projectId: string, path: string): string => `/p/${projectId}${path}`;

function Group({ label, items }: { label: string; items: NavigationItem[] }): ReactNode {
  const { pathname } = useLocation();
  const projectId = useProjectId();
  if (items.length === 0) return null;
  const top = items.filter(({ within }) => within === undefined || !items.some(({ path }) => path === within));
  const isOpen = ({ path }: NavigationItem): boolean => `${pathname}/`.startsWith(`${pathWithin(projectId, path)}/`);
  return (
    <div className={classes.group}>
      {label && <div className={classes.label}>{label}</div>}
      <ul className={classes.items}>
        {top.map((item) => {
          const below = items.filter(({ within }) => within === item.path);
          return (
            <li key={item.path}>
              <ItemLink item={item} />
              {[item, ...below].some(isOpen) && below.length > 0 && (
                <ul className={classes.below}>
                  {below.map((one) => (
                    <li key={one.path}>
                      <ItemLink item={one} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function ItemLink({ item: { path, label, icon: Icon } }: { item: NavigationItem }): ReactNode {
  return (
    <Link
      to={pathWithin(useProjectId(), path)}
      className={classes.item}
      activeOptions={{ exact: path === '', includeSearch: false }}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span className={classes.name}>{label}</span>
      {path === '' && <AttentionCount />}
    </Link>
  );
}
