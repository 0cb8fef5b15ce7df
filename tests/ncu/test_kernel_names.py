"""One kernel, as torch.profiler and as ncu spell it; short and cut names."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.listings.attach_launches import match_names
from tb_perfcompare.model.names.kernel_names import cut_prefixes, kernel_forms

SPELLINGS = [
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*"
        ", 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
        "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, "
        "at::detail::Array<char *, (int)3>>(int, T2, T3)",
    ),
    (
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<"
        "float> >(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1}>(int, at::native"
        "::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&)::{lambda(int)#1})",
        "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<at::native::"
        "CUDAFunctor_add<float>>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::GeluCUDAKernelImpl(at::"
        "TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::{lambda(float)#1}, "
        "std::array<char*, 2ul> >(int, char*)",
        "void at::native::vectorized_elementwise_kernel<(int)4, at::native::<unnamed>::GeluCUDAKernelImpl(at::"
        "TensorIteratorBase &)::[lambda() (instance 1)]::operator ()() const::[lambda() (instance 4)]::operator ()() "
        "const::[lambda(float) (instance 1)], std::array<char *, (unsigned long)2>>(int, T3)",
    ),
    (
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, false, cutlass::"
        "bfloat16_t>, true>(pytorch_flash::Flash_fwd_params)",
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)64, (int)128, (bool)0, cutlass::bfloat16_t>"
        ", (bool)1>(pytorch_flash::Flash_fwd_params)",
    ),
    (
        "void (anonymous namespace)::softmax_warp_forward<float, 9, true>(float*, float const*, bool const*)",
        "void <unnamed>::softmax_warp_forward<float, (int)9, (bool)1>(T1 *, const T1 *, const bool *)",
    ),
    ("void cutlass::Kernel2<gemm_128x64>(gemm_128x64::Params)", "void cutlass::Kernel2<gemm_128x64>(T1::Params)"),
    ("ncclDevKernel_AllReduce(ncclArgs<4096ul>)", "ncclDevKernel_AllReduce(ncclArgs<(unsigned long)4096>)"),
    ("volta_sgemm_64x64_nt", "volta_sgemm_64x64_nt"),
]


@pytest.mark.parametrize(("traced", "profiled"), SPELLINGS)
def test_both_demanglers_mean_the_same_kernel(traced: str, profiled: str) -> None:
    assert kernel_forms(traced).full == kernel_forms(profiled).full
    assert match_names([traced], [profiled]) == ((0,),)


@pytest.mark.parametrize(("traced", "profiled"), SPELLINGS)
def test_a_name_cut_anywhere_still_fits(traced: str, profiled: str) -> None:
    forms = kernel_forms(traced)
    for width in range(30, len(profiled)):
        prefixes = cut_prefixes(profiled[:width] + "...")
        assert any(text.startswith(prefix) for prefix in prefixes for text in (forms.key, forms.full)), width


def test_other_template_arguments_are_another_kernel() -> None:
    assert match_names(["void f<4, Add<float> >(int)"], ["void f<(int)4, Mul<float>>(int)"]) == ((),)
    assert match_names(["void f<4>(int)"], ["void f<(int)8>(int)"]) == ((),)


def test_kernels_of_one_function_share_its_short_name() -> None:
    traced = ["void at::native::f<4, Add>(int)", "void at::native::f<4, Mul>(int)", "void at::native::g<4>(int)"]
    got = match_names(traced, ["f", "h"])
    assert got == ((0,), (0,), ())


def test_namespaces_of_a_short_name_have_to_fit() -> None:
    traced = ["cask_cudnn::offsets(Params)", "other::offsets(Params)", "void cudnn::ops::cask::offsets<1>(int)"]
    assert match_names(traced, ["cask_cudnn::offsets"]) == ((0,), (), ())
    assert match_names(["void a::b::f<1>()"], ["b::f", "f"]) == ((0,),)
    assert match_names(["my_f(int)"], ["f"]) == ((),)


def test_a_whole_name_goes_before_a_short_one_and_both_before_a_cut_one() -> None:
    listed = ["f...", "f", "void f<(int)4>(int)", "void f<4>(int)"]
    traced = "void f<4>(int)"
    assert match_names([traced], listed) == ((3,),)
    assert match_names([traced], listed[:3]) == ((2,),)
    assert match_names([traced], listed[:2]) == ((1,),)
    assert match_names([traced], listed[:1]) == ((0,),)


def test_of_cut_names_the_longest_fits() -> None:
    listed = ["ampere_fp16_s16816gemm...", "ampere_fp16_s16816gemm_fp16_64x128...", "ampere_bf16..."]
    traced = ["ampere_fp16_s16816gemm_fp16_64x128_ldg8_tn", "ampere_fp16_s16816gemm_fp16_256x64_tn", "volta"]
    assert match_names(traced, listed) == ((1,), (0,), ())


def test_a_truncated_name_without_its_namespace_matches() -> None:
    assert match_names(["void at::native::(anonymous namespace)::CatArrayBatched<1>(int)"], ["CatArrayB..."]) == ((0,),)


def test_several_spellings_of_a_kernel_all_match() -> None:
    assert match_names(["void f<4>(int)"], ["void f<(int)4>(T1)", "f<4>(int)"]) == ((0, 1),)


@pytest.mark.parametrize("name", ["", "...", "(", "<", "f<", "f(", "a b", "f<a>::", "[lambda", "operator<<", ")>"])
def test_any_name_has_forms(name: str) -> None:
    kernel_forms(name)
    cut_prefixes(name + "...")
    match_names([name], [name, name + "..."])


def test_a_return_type_is_no_part_of_the_function() -> None:
    name = "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, false>(Params<int>)"
    assert kernel_forms(name).function == "internal::gemvx::kernel"
