-- planbatch, strict mode: every new batch job arrives held and marked, and the driver releases it when it is due.
-- Install as job_submit.lua beside slurm.conf, with JobSubmitPlugins=lua. The three values below are filled in by
-- `planbatch slurm files`.
--
-- If the driver is silent (its heartbeat is older than SILENT seconds, or not there), jobs arrive as if this script
-- did not exist: it fails open. `planbatch slurm release-all --silent-for` releases those that are held already.

local HEARTBEAT = "@HEARTBEAT@"
local SILENT = @SILENT@
local PARTITIONS = {@PARTITIONS@} -- none: all

local NEW, TOKEN, NO_TOKEN = "planbatch:new", "planbatch:hold", "planbatch:free"

local function driver_is_there()
  local file = io.open(HEARTBEAT, "r")
  if file == nil then return false end
  local beat = tonumber(file:read("*l"))
  file:close()
  return beat ~= nil and os.time() - beat <= SILENT
end

-- Whether all partitions that a job may run in are planned: a job of others would leave them through a side door.
local function is_planned(names, part_list)
  if next(PARTITIONS) == nil then return true end
  if names == nil or names == "" then
    for name, part in pairs(part_list) do
      if part.flag_default == 1 then names = name end
    end
  end
  for name in string.gmatch(names or "", "[^,]+") do
    if not PARTITIONS[name] then return false end
  end
  return names ~= nil and names ~= ""
end

-- A comment with one of the words that say whether its user holds a job that planbatch holds as well.
local function with_token(comment, token)
  local words = {}
  for word in string.gmatch(comment or "", "%S+") do
    if word ~= TOKEN and word ~= NO_TOKEN then words[#words + 1] = word end
  end
  words[#words + 1] = token
  return table.concat(words, " ")
end

function slurm_job_submit(job_desc, part_list, submit_uid)
  if job_desc.comment == "noplan" or not is_planned(job_desc.partition, part_list) then return slurm.SUCCESS end
  if (job_desc.reservation or "") ~= "" then return slurm.SUCCESS end -- what is reserved is not planned
  if not driver_is_there() then return slurm.SUCCESS end
  if job_desc.priority == 0 then job_desc.comment = with_token(job_desc.comment, TOKEN) end
  job_desc.priority = 0
  job_desc.admin_comment = NEW
  return slurm.SUCCESS
end

-- A user's hold of a job that is held already would not be seen, and her release would start it outside the plan: both
-- become a word in the job's comment.
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
  if modify_uid == 0 or modify_uid ~= job_rec.user_id or job_desc.priority == nil then return slurm.SUCCESS end
  local mark = job_rec.admin_comment or ""
  if string.sub(mark, 1, 10) ~= "planbatch:" or mark == "planbatch:free" then return slurm.SUCCESS end
  if job_desc.priority == 0 then
    job_desc.comment = with_token(job_rec.comment, TOKEN)
  elseif job_rec.priority == 0 then
    job_desc.comment = with_token(job_rec.comment, NO_TOKEN)
    if driver_is_there() then
      job_desc.priority = slurm.NO_VAL
      slurm.log_user("planbatch starts this job when its planned start comes")
    end
  end
  return slurm.SUCCESS
end

slurm.log_info("planbatch: jobs arrive held as long as %s is fresh", HEARTBEAT)
return slurm.SUCCESS
