import { ActionIcon, Alert, Burger, Loader, Text } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import { connection } from '../api/connection.js';
import { useNoticeChoice } from '../api/desktop-notices.js';
import { useLastLook } from '../api/last-look.js';
import { sessionQuery } from '../api/session.js';
import { shellTexts } from '../texts/shell.js';
import { OnceOpened } from '../ui/later.js';
import { AttentionCount } from './attention-count.js';
import classes from './shell.module.css';

const wideScreen = '(min-width: 62.01em)';
const loadNavigation = () => import('./navigation.js');
// Loads in parallel with the addressed page.
if (window.matchMedia(wideScreen).matches) void loadNavigation();
const Navigation = lazy(loadNavigation);
const DesktopNotices = lazy(() => import('./desktop-notices.js'));
const SideDrawer = lazy(() => import('./side-drawer.js'));
const PaletteWindow = lazy(() => import('./palette-window.js'));

/** What surrounds every page of a project. */
export function Shell(): ReactNode {
  const [drawer, { open, close }] = useDisclosure();
  const [palette, { open: openPalette, close: closePalette }] = useDisclosure();
  const { pathname } = useLocation();
  // A phone shows the navigation in the drawer, so it is not rendered here.
  const wide = useMediaQuery(wideScreen, true, { getInitialValueInEffect: false });
  useHotkeys([['mod+K', openPalette]], []);
  useEffect(close, [pathname]);
  useLeaveWhenSignedOut();
  useLastLook();
  const [notices] = useNoticeChoice();
  return (
    <>
      <a href="#content" className={classes.skip}>
        {shellTexts.skip}
      </a>
      <ConnectionBanner />
      <div className={classes.shell}>
        {wide && (
          <aside className={classes.side}>
            <Suspense>
              <Navigation onSearch={openPalette} />
            </Suspense>
          </aside>
        )}
        <OnceOpened opened={drawer}>
          <SideDrawer opened={drawer} onClose={close} onSearch={openPalette} />
        </OnceOpened>
        <div className={classes.main}>
          <TopBar onOpen={open} onSearch={openPalette}>
            {!wide && <AttentionCount />}
          </TopBar>
          <main id="content" tabIndex={-1} className={classes.content}>
            <Outlet />
          </main>
        </div>
      </div>
      {notices !== 'off' && (
        <Suspense>
          <DesktopNotices choice={notices} />
        </Suspense>
      )}
      <Palette opened={palette} onClose={closePalette} />
    </>
  );
}

/** Leaves the page when the session was ended elsewhere or has expired. */
function useLeaveWhenSignedOut(): void {
  const { error } = useQuery(sessionQuery);
  const { href } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (error && 'status' in error && error.status === 401)
      void navigate({ to: '/sign-in', search: { return_to: href } });
  }, [error]);
}

/** Shows while the system does not answer, and goes by itself. */
function ConnectionBanner(): ReactNode {
  const lost = useSyncExternalStore(connection.subscribe, connection.isLost);
  return (
    <div role="status">
      {lost && (
        <Alert
          variant="filled"
          color="yellow"
          radius={0}
          py={8}
          icon={<Loader size={16} color="dark" aria-hidden />}
          c="black"
        >
          {shellTexts.connectionLost}
        </Alert>
      )}
    </div>
  );
}

interface TopBarProps {
  onOpen: () => void;
  onSearch: () => void;
  children: ReactNode;
}

/** On narrow screens: opens the navigation. */
function TopBar({ onOpen, onSearch, children }: TopBarProps): ReactNode {
  return (
    <header className={classes.topBar}>
      <Burger size="sm" aria-label={shellTexts.openNavigation} onClick={onOpen} />
      {children}
      <Text fw={600} flex={1}>
        {shellTexts.product}
      </Text>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={shellTexts.search} onClick={onSearch}>
        <Search size={18} aria-hidden />
      </ActionIcon>
    </header>
  );
}

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

/** ⌘K: finds everything by name. Loaded when it is first opened. */
function Palette(props: PaletteProps): ReactNode {
  return props.opened ? (
    <Suspense fallback={null}>
      <PaletteWindow {...props} />
    </Suspense>
  ) : null;
}
