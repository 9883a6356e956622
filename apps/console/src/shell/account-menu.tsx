import {
  Avatar,
  Menu,
  type MantineColorScheme,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { signOut, useSession } from '../api/session.js';
import { shellTexts } from '../texts/shell.js';
import classes from './menus.module.css';

const schemes = { light: Sun, dark: Moon, auto: Monitor } as const;

export function AccountMenu(): ReactNode {
  const { member } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  return (
    <Menu width={220} position="top-start">
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <VisuallyHidden>{shellTexts.account}</VisuallyHidden>
          <Avatar size={28} name={member.name} color="accent" alt="" aria-hidden />
          <span className={classes.lines}>
            <span className={classes.name}>{member.name}</span>
            <span className={classes.under}>{member.role}</span>
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {member.email && (
          <>
            <Menu.Label>{member.email}</Menu.Label>
            <Menu.Divider />
          </>
        )}
        <Menu.Label>{shellTexts.scheme}</Menu.Label>
        {(Object.keys(schemes) as MantineColorScheme[]).map((scheme) => {
          const Icon = schemes[scheme];
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={14} aria-hidden />}
              rightSection={scheme === colorScheme ? <Check size={14} aria-hidden /> : null}
              onClick={() => setColorScheme(scheme)}
            >
              {shellTexts.schemes[scheme]}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={leave}>
          {shellTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useSignOut(): () => void {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: signOut,
    // Leaves in any case, even if the session had already ended.
    onSettled: async () => {
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });
  return mutate;
}
