// The number of cases of each threat, as written in docs/threat-model.md.

import { ollamaRoutes } from '../../../src/server/ollama-routes.ts'
import { routes } from '../../../src/server/routes.ts'
import { cloudBackends, doorBackends } from '../../contract/door-backends.ts'
import { threatDoors } from '../doors.ts'
import {
  fetchedInside,
  hostileAgentHosts,
  metadataAnswers,
  metadataHosts,
  redirects,
  steeringBodies,
  steeringFields,
  steeringHeaders,
  steeringModels,
  steeringNames,
  steeringParts,
  steeringPaths,
} from './addresses.ts'
import { exposedHosts, weakAuths } from './binds.ts'
import { clientHeaders, lineBreaks, terminalTricks, upstreamHeaders } from './breaks.ts'
import { attempts } from './browser.ts'
import { ambiguousHosts, foreignHosts } from './hosts.ts'
import { foreignActions, halfLogins, markups } from './inspector.ts'
import { fuzzedHeaders, otherMethods, unknownPaths, upgrades, withoutKey } from './keys.ts'
import { namedPlaces, specialNames } from './names.ts'
import { mostRuntimePackages, runtimePackages } from './packages.ts'
import { bodyPaths, foreignOrigins, foreignSites, foreignTypes } from './pages.ts'
import { encodings, kinds, known, writings } from './secret-forms.ts'
import { allCanaries, leaks, wrongSettings } from './secrets.ts'
import { eventFrames, floods, headerFloods, hostileFrames } from './sizes.ts'
import { hostileResults } from './tool-results.ts'

const steered =
  Object.keys(steeringHeaders).length +
  [steeringFields, steeringModels, steeringParts, steeringBodies].flat().length

/** By the file of test/threats that has them. */
export const caseCounts: Readonly<Record<string, string>> = {
  unauthenticated: `${withoutKey.length} requests without the key × ${routes.length + ollamaRoutes.length} routes × 2 gateways; ${otherMethods.length} methods and ${upgrades.length} upgrades on all of these and ${unknownPaths.length} other paths`,
  'dns-rebinding': `${foreignHosts.length + ambiguousHosts.length} hosts × 2 gateways`,
  'cross-site': `${foreignOrigins.length} origins, ${foreignSites.length} Sec-Fetch-Site, ${foreignTypes.length} media types × ${bodyPaths.length} routes`,
  browser: `${attempts.length} attempts × 4 kinds of page, in Chromium`,
  inspector: `${halfLogins.length} halves of a login × 2 gateways, ${foreignOrigins.length - 1} origins, ${foreignSites.length} Sec-Fetch-Site and ${foreignHosts.length} hosts with a whole one, ${foreignActions.length} actions on another key's turn, ${markups.length} markups as text, arguments and names, in Chromium`,
  'exposed-bind': `${exposedHosts.length} addresses × ${weakAuths.length} weak settings`,
  'key-check': `${fuzzedHeaders.toLocaleString('en')} headers of any bytes`,
  'supply-chain': `${runtimePackages.length} packages of at most ${mostRuntimePackages}`,
  ssrf: `${metadataHosts.length} spellings × 10 backends, ${metadataAnswers.length} answers of DNS, ${redirects.length} redirects × 10 backends, ${steered} ways to lead a request, ${hostileAgentHosts.length} to lead a token`,
  'model-paths': `${steeringNames.length} names × ${threatDoors.length} doors × 3 backends, ${steeringPaths.length} paths of the Gemini door`,
  'web-fetch': `${metadataHosts.length + fetchedInside.length} spellings, ${metadataAnswers.length + fetchedInside.length} answers of DNS, ${8 + fetchedInside.length} redirects`,
  'tool-results': `${hostileResults.length} results on 2 models without tools, and on each other kind of backend in turn`,
  secrets: `${allCanaries.length} secrets, ${leaks.length} paths × ${threatDoors.length} doors, ${wrongSettings.length} wrong settings`,
  'secret-forms': `${kinds.length} kinds × ${writings.length} ways of writing, ${known.length} known secrets × ${writings.length + encodings.length}`,
  sizes: `${hostileFrames.length} frames × 2 transports, ${eventFrames.length} frames of Bedrock, ${floods.length + headerFloods.length} floods × 5 backends`,
  injection: `${lineBreaks.length} breaks × ${threatDoors.length} doors × 7 places, ${upstreamHeaders.length + clientHeaders.length} headers × ${threatDoors.length} doors`,
  terminal: `${terminalTricks.length} control and format characters`,
  'prototype-pollution': `${specialNames.length} names × ${threatDoors.length} doors × ${doorBackends.length + cloudBackends.length} backends, ${namedPlaces.length} other places`,
}

/** Rows of the tables alone, before they are multiplied. */
export const rowCount =
  [withoutKey, otherMethods, unknownPaths, upgrades, foreignHosts, ambiguousHosts].flat().length +
  [foreignOrigins, foreignSites.map(String), foreignTypes, attempts, exposedHosts, weakAuths].flat().length +
  fetchedInside.length +
  steeringNames.length +
  steeringPaths.length +
  [metadataHosts, metadataAnswers, redirects, hostileAgentHosts, hostileResults].flat().length +
  [leaks, wrongSettings, hostileFrames, eventFrames, floods, headerFloods, lineBreaks].flat().length +
  [upstreamHeaders.map(String), clientHeaders.map(String), specialNames, namedPlaces].flat().length +
  [halfLogins.map(String), foreignActions.map(String), [...markups]].flat().length +
  [...terminalTricks].length +
  [kinds.map(String), writings, encodings, [...known]].flat().length +
  steered
