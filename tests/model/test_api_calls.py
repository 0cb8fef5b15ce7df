"""Roles of runtime calls by name."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.api_calls import ALLOCATION, GRAPH_LAUNCH, LAUNCH, RELEASE, WAIT, calls

ROLES = {"launch": LAUNCH, "graph": GRAPH_LAUNCH, "wait": WAIT, "allocation": ALLOCATION, "release": RELEASE}

NAMES = {
    "launch": "cudaLaunchKernel cudaLaunchKernelExC cuLaunchKernel cuLaunchKernelEx cudaLaunchCooperativeKernel "
    "hipLaunchKernel hipModuleLaunchKernel hipExtModuleLaunchKernel cnInvokeKernel urEnqueueKernelLaunch "
    "urEnqueueKernelLaunchWithArgsExp zeCommandListAppendLaunchKernel mtiaLaunchKernel Node@launch "
    "piEnqueueKernelLaunch piextEnqueueKernelLaunchCustom synLaunchWithExternalEvents aiuLaunchControlBlocks",
    "graph": "cudaGraphLaunch cuGraphLaunch hipGraphLaunch cnTaskTopoEntityInvoke cnrtTaskTopoEntityInvoke "
    "urEnqueueCommandBufferExp urCommandBufferEnqueueExp",
    "wait": "cudaStreamSynchronize cudaDeviceSynchronize cudaEventSynchronize cuCtxSynchronize cudaMemcpy hipMemcpy "
    "hipMemcpyWithStream hipStreamSynchronize cnrtQueueSync cnrtSyncDevice cnQueueSync zeEventHostSynchronize "
    "urQueueFinish AscendCL@aclrtSynchronizeStream AscendCL@aclrtSynchronizeStreamWithTimeout aclrtMemcpy "
    "piQueueFinish piEventsWait synStreamSynchronize aiuScheduleWait",
    "allocation": "cudaMalloc cudaMallocAsync cudaHostAlloc cudaMallocHost cuMemCreate cuMemMap hipMalloc "
    "hipExtMallocWithFlags hipHostMalloc cnrtMalloc cnMalloc AscendCL@aclrtMalloc aclrtMallocAlign32 urUSMDeviceAlloc "
    "piextUSMDeviceAlloc aiuMalloc",
    "release": "cudaFree cudaFreeHost cudaFreeAsync cuMemFree_v2 cuMemUnmap cuMemRelease hipFree hipFreeAsync "
    "hipHostFree cnrtFree cnFree AscendCL@aclrtFree urUSMFree piextUSMFree",
    "": "cudaMemcpyAsync cudaMemsetAsync hipMemcpyAsync cnrtMemcpyAsync cnMemcpyDtoDAsync cudaEventRecord "
    "cudaStreamWaitEvent cudaEventQuery cudaStreamIsCapturing cudaFuncGetAttributes cudaGraphInstantiate "
    "cuMemGetInfo hipMemGetInfo cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags urEnqueueUSMMemcpy "
    "cudaPointerGetAttributes hipStreamGetDevice cnPlaceNotifier aclrtMemcpyAsync free malloc "
    "piextUSMEnqueueMemcpy aiuDataTransferHtoD",
}  # fmt: skip


@pytest.mark.parametrize("role", NAMES)
def test_a_call_has_one_role_or_none(role: str) -> None:
    found = {name: [known for known in ROLES if calls(ROLES[known], name)] for name in NAMES[role].split()}
    assert found == dict.fromkeys(found, [role] if role else [])
