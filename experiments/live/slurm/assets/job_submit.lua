-- planbatch, strict mode: every new job arrives with a begin time ahead and a mark, and the driver puts its begin time
-- forward when it is due. Holds are not touched: they are the users' and the administrators'.
-- Install as job_submit.lua beside slurm.conf, with JobSubmitPlugins=lua. The values below are filled in by
-- `planbatch slurm files`.
--
-- It fails open, twice: if the driver is silent (its heartbeat is older than SILENT seconds, from the future, or not
-- there), jobs arrive as if this script did not exist; and every job may start HORIZON seconds after it arrived.

local HEARTBEAT = "@HEARTBEAT@"
local SILENT = @SILENT@
local HORIZON = @HORIZON@
local PARTITIONS = {@PARTITION_SET@} -- none: all
local NOPLAN = {@NOPLAN_SET@} -- the users whose comment "noplan" keeps a job out of the plan; "*": all

local function driver_is_there()
  local file = io.open(HEARTBEAT, "r")
  if file == nil then return false end
  local beat = tonumber(file:read("*l"))
  file:close()
  if beat == nil then return false end
  local age = os.time() - beat
  return age >= -@AHEAD@ and age <= SILENT
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

-- The begin time that a user asks for; 0 if it has come, or there is none.
local function asked_begin(job_desc, now)
  local begin = job_desc.begin_time
  if begin == nil or begin <= now then return 0 end
  return begin
end

function slurm_job_submit(job_desc, part_list, submit_uid)
  if job_desc.comment == "noplan" and (NOPLAN["*"] or NOPLAN[job_desc.user_name or ""]) then return slurm.SUCCESS end
  if not is_planned(job_desc.partition, part_list) then return slurm.SUCCESS end
  if (job_desc.reservation or "") ~= "" then return slurm.SUCCESS end -- what is reserved is not planned
  if not driver_is_there() then return slurm.SUCCESS end
  local now = os.time()
  local asked = asked_begin(job_desc, now)
  job_desc.begin_time = math.max(asked, now + HORIZON)
  job_desc.admin_comment = string.format("planbatch:asked=%.0f:begin=%.0f", asked, job_desc.begin_time)
  return slurm.SUCCESS
end

-- A user may put her job off, but not before its planned start.
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
  local begin = job_desc.begin_time
  if begin == nil or begin == 0 or modify_uid ~= job_rec.user_id then return slurm.SUCCESS end
  if modify_uid == 0 or job_desc.admin_comment ~= nil then return slurm.SUCCESS end -- the driver, say
  local asked = string.match(job_rec.admin_comment or "", "^planbatch:asked=(%d+):")
  local now = os.time()
  if asked == nil or begin >= now + HORIZON or not driver_is_there() then return slurm.SUCCESS end
  if asked == "0" and begin <= now then
    job_desc.begin_time = 0 -- as it was
    slurm.log_user("planbatch starts this job when its planned start comes")
  else
    job_desc.begin_time = now + HORIZON
    slurm.log_user("planbatch starts this job in %d s at the earliest", HORIZON)
  end
  return slurm.SUCCESS
end

slurm.log_info("planbatch: jobs arrive with a begin time ahead as long as %s is fresh", HEARTBEAT)
return slurm.SUCCESS
