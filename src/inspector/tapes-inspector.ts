// The inspector of tapes from disk: the same page, without a gateway.

import { Prices } from '../observe/prices.ts'
import { Scrubber } from '../observe/scrub.ts'
import type { Abilities } from './api.ts'
import type { Inspector } from './inspector.ts'
import { Logins } from './login.ts'
import { resendRoutes } from './resend-routes.ts'
import { createRoutes } from './routes.ts'
import { TapeFolder } from './tape-folder.ts'
import { createViews } from './views.ts'

const noGateway =
  'These turns are tapes from disk, and no gateway is behind this page: copy the request as a command, or play the tape with `dragoman tape replay`.'

export interface TapesInspector extends Pick<Inspector, 'routes' | 'isLoggedIn' | 'close'> {
  /** A URL that logs in one browser, once. */
  link(url: string): string
  /** The number of tape files. Creation throws a `TapeError` if the path cannot be read. */
  readonly files: number
  /** Resolves when all files have been read. A file that cannot be read has an entry in the list. */
  read(): Promise<void>
}

export function createTapesInspector(path: string): TapesInspector {
  const shelf = new TapeFolder(path)
  const files = shelf.files().length
  const scrubber = new Scrubber()
  const logins = new Logins()
  const may: Abilities = { resend: noGateway, change: false, tapes: path }
  const views = createViews({
    ...{ shelf, scrubber, may, turns: 2 * files, withThreads: false },
    ...{ sessions: () => [], turnedAway: () => [], prices: new Prices({ prices: 'off', backends: {} }) },
  })
  const viewing = { shelf, logins, scrubber, summary: views.summary }
  const more = resendRoutes({ ...viewing, may, send: () => undefined })
  // The filter leaves out the route for new login links: only the command gives links.
  const routes = createRoutes({ ...viewing, ...views, more }).filter((route) => route.open || route.page)
  return {
    routes,
    files,
    isLoggedIn: (exchange) => logins.find(exchange) !== undefined,
    link: (url) => `${url}/#login=${logins.link('all')}`,
    // Each summary is made while its file is in memory, because a summary needs the frames once.
    read: () => shelf.read(({ tape }) => void views.summary(tape.turn, 'all')),
    close: () => {
      shelf.close()
      views.live.close()
    },
  }
}
