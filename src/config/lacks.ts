// Settings for what a model lacks: images that another model describes, web search and fetch. Each is off without its section.

import { z } from 'zod'
import { nearest } from '../base/nearest.ts'
import { searchService, searchServices } from '../protocols/web-tools/search-services.ts'
import { isForbiddenAddress } from '../upstream/guard-address.ts'
import { type AliasSetting, modelsOfAlias } from './routes.ts'
import { baseUrl, headerText } from './values.ts'

const imagesSchema = z.strictObject({
  describedBy: z
    .string()
    .min(1)
    .describe('The model that describes images in words: an alias, or BACKEND/MODEL.'),
  models: z
    .array(z.string().min(1))
    .default([])
    .describe('Models without sight: BACKEND/MODEL or BACKEND/*. Those whose service says so count too.'),
})

const servedElsewhere = z
  .array(z.string().min(1))
  .default([])
  .describe(
    'Models whose service lacks the tool although it speaks the dialect of the client: BACKEND/MODEL or BACKEND/*.',
  )

const searchSchema = z
  .strictObject({
    service: z.enum(searchServices).describe('The search service.'),
    baseUrl: baseUrl.optional().describe("Required for searxng; others: the service's own address."),
    apiKey: headerText.optional().describe('Required for brave and tavily.'),
    results: z.int().min(1).max(20).default(8).describe('Results of one search.'),
    models: servedElsewhere,
  })
  .refine(({ service, baseUrl }) => baseUrl !== undefined || searchService(service).baseUrl !== undefined, {
    path: ['baseUrl'],
    error: 'is required: the address of your SearXNG instance',
  })
  .refine(({ service, apiKey }) => apiKey !== undefined || !searchService(service).needsKey, {
    path: ['apiKey'],
    error: 'is required for this service',
  })

const fetchSchema = z.strictObject({
  bytes: z.int().min(1024).max(1_048_576).default(100_000).describe('The text of one page; the rest is cut.'),
  models: servedElsewhere,
})

export const lacksSchema = z.strictObject({
  images: imagesSchema.optional().describe('Images for models without sight, described by another model.'),
  search: searchSchema.optional().describe('Web search for clients that expect it of the service.'),
  fetch: fetchSchema
    .optional()
    .describe('Web pages for clients that expect the service to fetch them; public addresses only.'),
})

export type Lacks = z.infer<typeof lacksSchema>

export const searchAddress = ({ service, baseUrl }: NonNullable<Lacks['search']>): string =>
  baseUrl ?? searchService(service).baseUrl ?? ''

interface Named {
  backends: Record<string, unknown>
  models: Record<string, AliasSetting>
  lacks: Lacks
}

/** Whether one of these names, such as `box/*`, is of the model. */
export const namesModel = (names: readonly string[], backend: string, model: string): boolean =>
  names.includes(`${backend}/${model}`) || names.includes(`${backend}/*`)

export const lacksProblems = (config: Named): string[] => [
  ...(['images', 'search', 'fetch'] as const).flatMap((section) =>
    unknownModels(`lacks.${section}.models`, config.lacks[section]?.models ?? [], config),
  ),
  ...imagesProblems(config),
  ...searchProblems(config.lacks),
]

function unknownModels(path: string, names: readonly string[], { backends }: Named): string[] {
  const known = Object.keys(backends)
  return names.flatMap((name) => {
    const [backend = '', model = ''] = name.split(/\/(.*)/s)
    if (model !== '' && known.includes(backend)) return []
    const [close] = nearest(backend, known)
    return [
      `${path}: "${name}" must be BACKEND/MODEL or BACKEND/* with a backend of this file${close === undefined ? '' : `; did you mean "${close}/…"?`}`,
    ]
  })
}

function imagesProblems({ models, lacks: { images } }: Named): string[] {
  if (!images) return []
  const alias = Object.hasOwn(models, images.describedBy) ? models[images.describedBy] : undefined
  const blind = (alias === undefined ? [images.describedBy] : modelsOfAlias(alias)).filter((name) => {
    const [backend = '', model = ''] = name.split(/\/(.*)/s)
    return namesModel(images.models, backend.split('@')[0] ?? '', model)
  })
  return blind.map(
    (name) =>
      `lacks.images.describedBy: ${name} is one of the models without sight in "lacks.images.models"; name one that sees images`,
  )
}

function searchProblems({ search }: Lacks): string[] {
  if (!search) return []
  const { host, hostname } = new URL(searchAddress(search))
  return isForbiddenAddress(hostname.replace(/^\[|\]$/g, ''))
    ? [`lacks.search.baseUrl: ${host} is a link-local or metadata address, which is not allowed`]
    : []
}
